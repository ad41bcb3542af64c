/** That something did not come in time. */
export const late = Symbol('late');

/** What a promise comes to beforeDeadline so many milliseconds, else `late`; it is nobody's error any more then. */
export const beforeDeadline = <Value>(promise: Promise<Value>, deadlineMs: number): Promise<Value | typeof late> =>
  new Promise((resolve, reject) => {
    // An answer that came while this process did something else is read before it counts as late.
    const timer = setTimeout(() => setImmediate(() => resolve(late)), deadlineMs);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
