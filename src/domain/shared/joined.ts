/**
 * A new object with the fields of both; where both have one, the second's counts.
 *
 * INVARIANT: what is made with each request is joined so, not by `{ ...first, ...second }`: V8 makes a hidden class
 * of its own for each object that begins with a spread and gets a name that this did not have, and hidden classes are
 * made in the old generation.
 */
export const joined = <First extends object, Second extends object>(first: First, second: Second): First & Second =>
  Object.assign({}, first, second);
