import { err, ok, type Result } from '../../../shared/result.js';
import type { LikePattern } from '../syntax-tree.js';

/** An invalid escape, with offsets in the text. */
export interface EscapeProblem {
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

interface Escape {
  readonly character: string;
  readonly end: number;
}

const simple: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['0', '\0'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
]);
const maxUnicodeDigits = 6;
/** Maximum length of a span for a bad escape: underscores may make an escape arbitrarily long. */
const maxSpanLength = 12;

const digitOf = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
};

const problem = (start: number, end: number, message: string): Result<never, EscapeProblem> =>
  err({ start, end, message });

const hexEscape = (text: string, start: number): Result<Escape, EscapeProblem> => {
  const high = digitOf(text.charCodeAt(start + 2));
  const low = digitOf(text.charCodeAt(start + 3));
  if (high < 0 || low < 0) return problem(start, start + 2, '`\\x` takes two hexadecimal digits');
  if (high > 7) return problem(start, start + 4, '`\\x` goes up to `\\x7f`: use `\\u{..}`');
  return ok({ character: String.fromCharCode(high * 16 + low), end: start + 4 });
};

const unicodeEscape = (text: string, start: number, limit: number): Result<Escape, EscapeProblem> => {
  if (text[start + 2] !== '{') return problem(start, start + 2, '`\\u` takes braces: `\\u{41}`');
  let value = 0;
  let digits = 0;
  let at = start + 3;
  for (; at < limit && text[at] !== '}'; at += 1) {
    const digit = digitOf(text.charCodeAt(at));
    if (digit < 0 && !(text[at] === '_' && digits > 0)) {
      return problem(start, Math.min(at, start + maxSpanLength), '`\\u{..}` takes hexadecimal digits');
    }
    if (digit < 0) continue;
    digits += 1;
    if (digits > maxUnicodeDigits) return problem(start, start + maxSpanLength, '`\\u{..}` takes at most 6 digits');
    value = value * 16 + digit;
  }
  if (at >= limit) return problem(start, start + 3, '`\\u{` is not closed');
  if (digits === 0) return problem(start, at + 1, '`\\u{}` has no digits');
  if (value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
    return problem(start, Math.min(at + 1, start + maxSpanLength), 'no such character');
  }
  return ok({ character: String.fromCodePoint(value), end: at + 1 });
};

const escapeAt = (text: string, start: number, limit: number): Result<Escape, EscapeProblem> => {
  const name = text[start + 1] ?? '';
  const character = simple.get(name);
  if (character !== undefined) return ok({ character, end: start + 2 });
  if (name === 'x') return hexEscape(text, start);
  if (name === 'u') return unicodeEscape(text, start, limit);
  if (name === '*')
    return problem(start, start + 2, '`\\*` stands for a star in the pattern of a `like` and nowhere else');
  return problem(start, start + 2, 'not an escape; a backslash itself is written `\\\\`');
};

const carriageReturn = (at: number): Result<never, EscapeProblem> =>
  problem(at, at + 1, 'a carriage return in a string is written `\\r`');

/**
 * Splits the content of a string, `text` from `start` to before `end`, into pieces. With `stars`, every star is the
 * piece `null`, also one written as `\u{2a}`; only `\*` is a literal star.
 */
const pieces = (text: string, start: number, end: number, stars: boolean): Result<(string | null)[], EscapeProblem> => {
  const found: (string | null)[] = [];
  let from = start;
  let at = start;
  const flush = (): void => {
    if (at > from) found.push(text.slice(from, at));
  };
  while (at < end) {
    const character = text[at];
    if (character === '\r') return carriageReturn(at);
    if (character === '*' && stars) {
      flush();
      found.push(null);
      at += 1;
      from = at;
    } else if (character === '\\') {
      flush();
      if (stars && text[at + 1] === '*') {
        found.push('*');
        at += 2;
      } else {
        const escaped = escapeAt(text, at, end);
        if (!escaped.ok) return escaped;
        const isStar = stars && escaped.value.character === '*';
        found.push(isStar ? null : escaped.value.character);
        at = escaped.value.end;
      }
      from = at;
    } else {
      at += 1;
    }
  }
  flush();
  return ok(found);
};

/** The value of a string; `text` from `start` to before `end` is the content between its quotes. Linear. */
export const unescapeText = (text: string, start: number, end: number): Result<string, EscapeProblem> => {
  const found = pieces(text, start, end, false);
  return found.ok ? ok(found.value.join('')) : found;
};

const anyText = { kind: 'any-text' } as const;

/** The value of a `like` pattern. Adjacent texts are merged into one piece, and so are adjacent stars. */
export const unescapePattern = (text: string, start: number, end: number): Result<LikePattern, EscapeProblem> => {
  const found = pieces(text, start, end, true);
  if (!found.ok) return found;
  const pattern: (string | typeof anyText)[] = [];
  let literal: string[] = [];
  const flush = (): void => {
    if (literal.length > 0) pattern.push(literal.join(''));
    literal = [];
  };
  for (const piece of found.value) {
    if (piece !== null) {
      literal.push(piece);
      continue;
    }
    flush();
    if (pattern.at(-1) !== anyText) pattern.push(anyText);
  }
  flush();
  return ok(pattern);
};
