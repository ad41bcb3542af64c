/**
 * A new object with the fields of both. Fields of `second` override those of `first`.
 *
 * INVARIANT: per-request objects are merged in this way, not by `{ ...first, ...second }`. V8 creates a new hidden
 * class for each object that begins with a spread and gets a further name. Hidden classes live in the old generation.
 */
export const mergeObjects = <First extends object, Second extends object>(
  first: First,
  second: Second,
): First & Second => Object.assign({}, first, second);
