import { err, ok, type Result } from '../../shared/result.js';
import type { PathPatternMatch } from '../routing/path-pattern.js';

/** A literal text, or the number of a group. */
export type ReplacementPart = string | number;

/** What replaces a match, parsed when the configuration loads. */
export type PathReplacement = readonly ReplacementPart[];

/** The numbers of groups that a replacement can name. */
const groupForm = /^[1-9]$/;

/**
 * Parses a replacement with groups, `$1` to `$9`. `$$` stands for one `$`. The error is a message for the user, as the
 * end of a sentence.
 */
export const parseReplacement = (text: string): Result<PathReplacement, string> => {
  const parts: ReplacementPart[] = [];
  let literal = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (character === '?' || character === '#') return err(`must not contain "${character}": the query never changes`);
    if (character === '\\') return err('must not contain a backslash: write $1 for the first group');
    if (character !== '$') {
      literal += character;
      continue;
    }
    index += 1;
    const next = text[index] ?? '';
    if (next === '$') literal += '$';
    else if (groupForm.test(next)) {
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push(Number(next));
    } else return err(`has "$${next}": write $1 to $9 for a group, and $$ for a dollar sign`);
  }
  if (literal !== '') parts.push(literal);
  return ok(parts);
};

/** The highest number of a group; 0: none. */
export const highestGroup = (replacement: PathReplacement): number =>
  replacement.reduce<number>((highest, part) => (typeof part === 'number' ? Math.max(highest, part) : highest), 0);

/** Replaces the matches of a path, which are in order and do not overlap. */
export const replaceMatches = (
  path: string,
  matches: readonly PathPatternMatch[],
  replacement: PathReplacement,
): string => {
  let text = '';
  let from = 0;
  for (const { start, end, groups } of matches) {
    text += path.slice(from, start);
    for (const part of replacement) text += typeof part === 'string' ? part : (groups[part - 1] ?? '');
    from = end;
  }
  return text + path.slice(from);
};

/** A pattern and its replacement that only change the beginning of a path. */
export interface LiteralPrefixes {
  readonly from: string;
  readonly to: string;
}

/** `^`, literal characters, `(.*)` and perhaps `$`. */
const prefixPattern = /^\^((?:[A-Za-z0-9/_~@!,;=:%&'-]|\\[^A-Za-z0-9])+)\(\.\*\)\$?$/;

/** The prefixes of a rewrite such as `^/old/(.*)$` to `/new/$1`; null: it has another form. */
export const literalPrefixes = (pattern: string, replacement: PathReplacement): LiteralPrefixes | null => {
  const literal = prefixPattern.exec(pattern)?.[1];
  const [to, group, more] = replacement;
  if (literal === undefined || typeof to !== 'string' || group !== 1 || more !== undefined) return null;
  return { from: literal.replaceAll(/\\(.)/g, '$1'), to };
};
