import { normalisePath } from '../../../../http/path-normalisation.js';
import { quoteName } from '../../abbreviate-text.js';
import type { LikePattern } from '../../syntax-tree.js';

/** The reason why a text is never the path of a request. */
export interface PathMistake {
  /** The rule for paths, as the end of a sentence. */
  readonly message: string;
  /** The path that was probably intended. */
  readonly nearest: string | null;
  /** The `like` pattern that was probably intended, in quotes. */
  readonly pattern: string | null;
}

const isNormal = (path: string): boolean => {
  const normal = normalisePath(path, 'keep');
  return normal.ok && normal.value === path;
};

/** The normal form of a path, with a leading slash added if missing; null if it cannot be a path. */
export const nearestPath = (text: string): string | null => {
  const normal = normalisePath(text.startsWith('/') ? text : `/${text}`, 'keep');
  return normal.ok ? normal.value : null;
};

const notNormal = 'a normalised path without the query; this is not one';

/** Whether a segment is `*` or `**`: rare in paths and common in patterns of other systems. */
const looksLikePattern = (text: string): boolean =>
  text.split('/').some((segment, index) => index > 0 && (segment === '*' || segment === '**'));

/** Null if a request can have this path. */
export const pathMistake = (text: string): PathMistake | null => {
  const nearest = nearestPath(text);
  if (looksLikePattern(text)) {
    const pattern = quoteName((nearest ?? text).replaceAll('**', '*'));
    return { message: 'one path; a "*" in it is literal, not a pattern', nearest, pattern };
  }
  return isNormal(text) ? null : { message: notNormal, nearest, pattern: null };
};

/** Replaces the text that a star matches; it keeps a normal path normal. */
const starText = 'x';

/** Whether no normal path begins like this. `OPTIONS *` has the path `*`. */
const isImpossibleBeginning = (piece: string, isWhole: boolean): boolean =>
  piece !== '*' &&
  // A percent-escape may continue in the text that the star matches.
  !isNormal(isWhole ? piece : `${piece.replace(/%[0-9A-F]?$/, '')}${starText}`);

/**
 * Whether no request path matches a pattern, because of its beginning or a `?` anywhere. A pattern that begins with a
 * star and contains something impossible, such as `//`, is accepted as an intentional guard.
 */
export const isImpossiblePathPattern = (pattern: LikePattern): boolean =>
  pattern.some((piece, index) => {
    if (typeof piece !== 'string') return false;
    return piece.includes('?') || (index === 0 && isImpossibleBeginning(piece, pattern.length === 1));
  });

/** Whether a piece contains a literal star. */
const hasLiteralStar = (piece: LikePattern[number]): boolean => typeof piece === 'string' && piece.includes('*');

/** The quoted pattern with a leading slash; null if a missing slash is not its only fault. */
export const rootedPattern = (pattern: LikePattern): string | null => {
  const [first, ...others] = pattern;
  if (typeof first !== 'string' || first.startsWith('/') || pattern.some(hasLiteralStar)) return null;
  const rooted: LikePattern = [`/${first}`, ...others];
  if (isImpossiblePathPattern(rooted)) return null;
  return quoteName(rooted.map((piece) => (typeof piece === 'string' ? piece : '*')).join(''));
};
