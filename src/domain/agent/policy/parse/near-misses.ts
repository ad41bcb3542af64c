import { abbreviateText } from '../abbreviate-text.js';
import type { PolicyTokenKind, Token } from './token.js';

/** Names a token in a message. */
export const describeToken = (kind: PolicyTokenKind, text: string): string => {
  if (kind === 'end') return 'the end of the text';
  return kind === 'string' ? `the string ${abbreviateText(text)}` : `\`${abbreviateText(text)}\``;
};

const meant = (written: string): string => `did you mean \`${written}\`?`;
const caller = 'the caller is called `principal`';

const wordHints: ReadonlyMap<string, string> = new Map([
  ['and', meant('&&')],
  ['or', meant('||')],
  ['not', meant('!')],
  ['equals', meant('==')],
  ['eq', meant('==')],
  ['matches', meant('like')],
  ['contains', 'write `set.contains(element)`'],
  ['where', meant('when')],
  ['provided', meant('when')],
  ['except', meant('unless')],
  ['allow', meant('permit')],
  ['grant', meant('permit')],
  ['deny', meant('forbid')],
  ['refuse', meant('forbid')],
  ['the', caller],
  ['service', caller],
  ['user', caller],
  ['subject', caller],
  ['client', caller],
  ['caller', caller],
  ['method', 'the operation is called `action`'],
  ['operation', 'the operation is called `action`'],
  ['object', 'the object is called `resource`'],
  ['request', 'the properties of a request are in `context`'],
]);

const straightQuotes = 'use straight double quotes: "text"';
const doubleQuotes = 'use double quotes: "text"';

const characterHints: ReadonlyMap<string, string> = new Map([
  ["'", doubleQuotes],
  ['`', doubleQuotes],
  ['\u2018', straightQuotes],
  ['\u2019', straightQuotes],
  ['\u201c', straightQuotes],
  ['\u201d', straightQuotes],
  ['&', meant('&&')],
  ['|', meant('||')],
  ['~', meant('like')],
  ['#', 'a comment begins with `//`'],
  ['\ufeff', 'save the text without a byte order mark'],
  ['?', 'write `if .. then .. else ..`; `has` tests whether an attribute exists'],
]);

/** A suggestion for a word that Cedar does not have. */
export const wordHint = (word: string): string | null => wordHints.get(word.toLowerCase()) ?? null;

const equalsHint = (token: Token, text: string): string => {
  const next = text[token.end];
  if (next === '<' || next === '>') return meant(`${next}=`);
  return text[token.start - 1] === '=' && text[token.start - 2] === '!' ? meant('!=') : meant('==');
};

/** A suggestion for a token that is not allowed at its position in `text`. */
export const hintFor = (token: Token, text: string): string | null => {
  switch (token.kind) {
    case 'identifier':
      return wordHint(token.text);
    case 'invalid':
      return characterHints.get(token.text.charAt(0)) ?? null;
    case 'unclosed':
      return 'close the string with `"`; a quote inside it is written `\\"`';
    case '=':
      return equalsHint(token, text);
    case '>':
      return text[token.start - 1] === '<' ? meant('!=') : null;
    case '/':
      return text[token.end] === '*' ? 'a comment begins with `//`' : 'there is no division';
    case '%':
      return 'there is no remainder';
    default:
      return null;
  }
};
