/** A value, or a promise for it. Avoids waiting when the value is usually available at once. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Continues with a value: synchronously unless it is a promise. */
export const thenMaybe = <Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> => (value instanceof Promise ? value.then(next) : next(value));
