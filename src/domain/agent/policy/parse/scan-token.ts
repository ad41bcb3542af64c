import type { PolicyTokenKind, Punctuation, Token } from './token.js';

/** The class of a character. */
const characterClass = { other: 0, word: 1, digit: 2, space: 3 } as const;

const codeOf = (character: string): number => character.charCodeAt(0);

const asciiClasses = ((): Uint8Array => {
  const classes = new Uint8Array(128);
  classes.fill(characterClass.word, codeOf('a'), codeOf('z') + 1);
  classes.fill(characterClass.word, codeOf('A'), codeOf('Z') + 1);
  classes[codeOf('_')] = characterClass.word;
  classes.fill(characterClass.digit, codeOf('0'), codeOf('9') + 1);
  classes.fill(characterClass.space, codeOf('\t'), codeOf('\r') + 1);
  classes[codeOf(' ')] = characterClass.space;
  return classes;
})();

/** Non-ASCII white space by Unicode's White_Space property, which excludes the byte order mark. */
const isWideSpace = (code: number): boolean =>
  code === 0x85 ||
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000;

/** The class of a UTF-16 code unit. NaN (beyond the end) has the class `other`. */
const classOf = (code: number): number => {
  if (code < 128) return asciiClasses[code] ?? characterClass.other;
  return isWideSpace(code) ? characterClass.space : characterClass.other;
};

const twoCharacters: ReadonlySet<string> = new Set<Punctuation>(['::', '==', '!=', '<=', '>=', '&&', '||']);
const oneCharacter: ReadonlySet<string> = new Set<Punctuation>([
  ...[',', ';', ':', '.', '(', ')', '{', '}', '[', ']', '@', '<', '>', '=', '+', '-', '*', '/', '%', '!'],
] as Punctuation[]);

const quote = 0x22;
const backslash = 0x5c;
/** Maximum length of a text in wrong quotes, which keeps the scan linear. */
const maxWrongQuoteLength = 200;
const closingOf: ReadonlyMap<string, string> = new Map([
  ["'", "'"],
  ['\u2018', '\u2019'],
  ['\u201c', '\u201d'],
  ['`', '`'],
]);

const skipBlank = (text: string, from: number): number => {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (classOf(code) === characterClass.space) {
      at += 1;
    } else if (code === 0x2f && text.charCodeAt(at + 1) === 0x2f) {
      at += 2;
      while (at < text.length && text.charCodeAt(at) !== 0x0a && text.charCodeAt(at) !== 0x0d) at += 1;
    } else {
      return at;
    }
  }
};

const endOfWord = (text: string, from: number): number => {
  let at = from;
  for (;;) {
    const kind = classOf(text.charCodeAt(at));
    if (kind !== characterClass.word && kind !== characterClass.digit) return at;
    at += 1;
  }
};

const endOfDigits = (text: string, from: number): number => {
  let at = from;
  while (classOf(text.charCodeAt(at)) === characterClass.digit) at += 1;
  return at;
};

/** The offset after the closing quote, or -1. */
const endOfString = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at += 1;
  }
  return -1;
};

/** The end of `'text'` and similar as one token if it closes nearby on its line; otherwise of one character. */
const endOfInvalid = (text: string, from: number): number => {
  const closing = closingOf.get(text[from] ?? '');
  if (closing !== undefined) {
    const last = Math.min(text.length, from + maxWrongQuoteLength);
    for (let at = from + 1; at < last; at += 1) {
      if (text[at] === closing) return at + 1;
      if (text[at] === '\n' || text[at] === text[from]) break;
    }
  }
  const point = text.codePointAt(from) ?? 0;
  return from + (point > 0xffff ? 2 : 1);
};

const token = (text: string, kind: PolicyTokenKind, start: number, end: number): Token => ({
  kind,
  start,
  end,
  text: text.slice(start, end),
});

/** The next token at or after `from`. Skips white space and comments. */
export const scanToken = (text: string, from: number): Token => {
  const start = skipBlank(text, from);
  if (start >= text.length) return { kind: 'end', start: text.length, end: text.length, text: '' };
  const code = text.charCodeAt(start);
  const kind = classOf(code);
  if (kind === characterClass.word) return token(text, 'identifier', start, endOfWord(text, start));
  if (kind === characterClass.digit) return token(text, 'number', start, endOfDigits(text, start));
  if (code === quote) {
    const end = endOfString(text, start);
    return end < 0 ? token(text, 'unclosed', start, text.length) : token(text, 'string', start, end);
  }
  const two = text.slice(start, start + 2);
  if (twoCharacters.has(two)) return { kind: two as Punctuation, start, end: start + 2, text: two };
  const one = two.charAt(0);
  if (oneCharacter.has(one)) return { kind: one as Punctuation, start, end: start + 1, text: one };
  if (one === '?' && classOf(text.charCodeAt(start + 1)) === characterClass.word) {
    return token(text, 'slot', start, endOfWord(text, start + 1));
  }
  return token(text, 'invalid', start, endOfInvalid(text, start));
};
