/** A value that is there, or will be: what nearly always can be told at once is not waited for. */
export type Soon<Value> = Value | Promise<Value>;

/** Goes on with a value: at once where it is there. */
export const whenThere = <Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> =>
  value instanceof Promise ? value.then(next) : next(value);
