import type { LikePattern } from '../syntax-tree.js';

/** The texts before, between and after the stars: one more than there are stars. */
const piecesOf = (pattern: LikePattern): [string, ...string[]] => {
  const pieces: [string, ...string[]] = [''];
  for (const piece of pattern) {
    if (typeof piece === 'string') pieces[pieces.length - 1] += piece;
    else pieces.push('');
  }
  return pieces;
};

/**
 * Compiles a `like` pattern into a test. A star matches any text, including none. Each text between stars matches its
 * first occurrence, which is never worse than a later one, so matching is linear and never backtracks. Comparing UTF-16
 * code units equals comparing Unicode scalar values: in well-formed text no piece starts or ends inside a pair.
 */
export const likeMatcher = (pattern: LikePattern): ((text: string) => boolean) => {
  const [prefix, ...rest] = piecesOf(pattern);
  const suffix = rest.pop();
  if (suffix === undefined) return (text) => text === prefix;
  const between = rest.filter((piece) => piece !== '');
  const [only] = between;
  if (only === undefined) {
    if (suffix === '') return prefix === '' ? () => true : (text) => text.startsWith(prefix);
    if (prefix === '') return (text) => text.endsWith(suffix);
  } else if (between.length === 1 && prefix === '' && suffix === '') {
    return (text) => text.includes(only);
  }
  return (text) => {
    if (!text.startsWith(prefix) || !text.endsWith(suffix)) return false;
    const end = text.length - suffix.length;
    let position = prefix.length;
    for (const piece of between) {
      const found = text.indexOf(piece, position);
      if (found < 0) return false;
      position = found + piece.length;
    }
    return position <= end;
  };
};
