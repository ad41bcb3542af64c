import { normalisePath } from '../../../../http/path-normalisation.js';
import { quotedName } from '../../shortened-text.js';
import type { LikePattern } from '../../syntax-tree.js';

/** Why a text is the path of no request. */
export interface PathMistake {
  /** What a path is. */
  readonly message: string;
  /** The path that was probably meant. */
  readonly nearest: string | null;
  /** The pattern that was probably meant, in quotes. */
  readonly pattern: string | null;
}

const isNormal = (path: string): boolean => {
  const normal = normalisePath(path);
  return normal.ok && normal.value === path;
};

/** The normal form of a text, a slash put before it where it has none; null: it cannot be one. */
export const nearestPath = (text: string): string | null => {
  const normal = normalisePath(text.startsWith('/') ? text : `/${text}`);
  return normal.ok ? normal.value : null;
};

const notNormal = 'the path of a request in its normal form, without the query; this is none';

/** Whether a segment is a star, or two: no path that people give out, and what patterns look like elsewhere. */
const looksLikePattern = (text: string): boolean =>
  text.split('/').some((segment, index) => index > 0 && (segment === '*' || segment === '**'));

/** Null: the path of a request can be that text. */
export const pathMistake = (text: string): PathMistake | null => {
  const nearest = nearestPath(text);
  if (looksLikePattern(text)) {
    const pattern = quotedName((nearest ?? text).replaceAll('**', '*'));
    return { message: 'one path, and a "*" in it is no pattern', nearest, pattern };
  }
  return isNormal(text) ? null : { message: notNormal, nearest, pattern: null };
};

/** What stands in for the text that a star takes: nothing of it makes a path abnormal. */
const stand = 'x';

/** Whether no normal path begins so. `OPTIONS *` has the path `*`. */
const isImpossibleBeginning = (piece: string, isWhole: boolean): boolean =>
  piece !== '*' &&
  // An escape may go on in what the star takes.
  !isNormal(isWhole ? piece : `${piece.replace(/%[0-9A-F]?$/, '')}${stand}`);

/**
 * Whether the path of no request fits a pattern: for its beginning, or for a `?` anywhere. A pattern that begins with
 * a star and asks for what no normal path holds, such as `//`, is a guard on purpose.
 */
export const isImpossiblePathPattern = (pattern: LikePattern): boolean =>
  pattern.some((piece, index) => {
    if (typeof piece !== 'string') return false;
    return piece.includes('?') || (index === 0 && isImpossibleBeginning(piece, pattern.length === 1));
  });

/** Whether a piece has a star that stands for itself. */
const isStarred = (piece: LikePattern[number]): boolean => typeof piece === 'string' && piece.includes('*');

/**
 * A pattern as it is written, in quotes, with a slash before it; null: it has more wrong with it than the want of
 * that.
 */
export const rootedPattern = (pattern: LikePattern): string | null => {
  const [first, ...others] = pattern;
  if (typeof first !== 'string' || first.startsWith('/') || pattern.some(isStarred)) return null;
  const rooted: LikePattern = [`/${first}`, ...others];
  if (isImpossiblePathPattern(rooted)) return null;
  return quotedName(rooted.map((piece) => (typeof piece === 'string' ? piece : '*')).join(''));
};
