/** A value that is there, or will be: what nearly always can be told at once is not waited for. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Goes on with a value: at once where it is there. */
export const thenMaybe = <Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> => (value instanceof Promise ? value.then(next) : next(value));
