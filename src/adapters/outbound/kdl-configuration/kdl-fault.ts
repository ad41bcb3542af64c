import type { InvalidKdlError } from '@bgotink/kdl';

/** Reports a problem at an offset of the text. */
export type Complain = (offset: number, message: string, suggestion?: string) => void;

/** A syntax error in a file. */
export interface KdlFault {
  readonly offset: number;
  readonly message: string;
  readonly suggestion: string | null;
  /** The message without any text of the file, for lines that may hold a secret. */
  readonly withoutText: { readonly message: string; readonly suggestion: string | null };
}

/** A fault whose message contains no text of the file. */
export const plainFault = (offset: number, message: string, suggestion: string | null): KdlFault => ({
  offset,
  message,
  suggestion,
  withoutText: { message, suggestion },
});

const fault = (
  offset: number,
  message: string,
  suggestion: string | null,
  withoutText = 'this is not valid KDL',
): KdlFault => ({
  offset,
  message,
  suggestion,
  withoutText: { message: withoutText, suggestion: null },
});

/** Largest number of faults of one text. */
const maximumFaults = 20;

const bare = (message: string): string =>
  message
    .replace(/ at (\d+:\d+|end of input)$/, '')
    .replace(/, (did you forget to|use triple-quotes|the correct syntax).*$/s, '')
    .replace(/[\n\r]+/g, ' ');

/** The start of the word before an offset, because the parser reports its end. */
const wordBefore = (text: string, offset: number): number => {
  let start = offset;
  while (start > 0 && /[^\s(){}[\]="';\\/#,]/.test(text.charAt(start - 1))) start -= 1;
  return start > 0 && text.charAt(start - 1) === '#' ? start - 1 : start;
};

const bracketForm = 'lists have no brackets: write the values side by side, as in agents "a" "b"';

/** A list in brackets. */
export const bracketFault = (text: string, offset: number): KdlFault => ({
  ...plainFault(offset, 'brackets have no meaning in KDL', bracketForm),
  suggestion: withoutBrackets(text, offset) ?? bracketForm,
});

/** `key = "value"`. */
export const equalsFault = (offset: number): KdlFault =>
  plainFault(offset, '"=" is only for properties', 'write key "value", or key name="value" without spaces');

/** `404 "/x"`. */
export const digitFault = (text: string, offset: number): KdlFault => {
  const name = /^[^\s{}()"#;=[\],\\]{1,40}/.exec(text.slice(offset, offset + 40))?.[0] ?? '404';
  const message = 'a name cannot begin with a digit';
  return {
    ...plainFault(offset, message, 'put the name in quotes'),
    suggestion: `put the name in quotes: "${name}"`,
  };
};

/** `true` of KDL 1 in a KDL 2 file. */
export const keywordFault = (offset: number, word: string): KdlFault =>
  plainFault(offset, `"${word}" is not a value in KDL 2`, `write #${word}, or "${word}" for the text`);

/** `10MB`. */
const unitFault = (offset: number): KdlFault =>
  plainFault(offset, 'a number cannot have a unit', 'put a size with a unit in quotes: "10MB"');

/** `;` at the beginning of a statement. */
export const emptyStatementFault = (offset: number): KdlFault =>
  plainFault(offset, 'there is nothing before this ";"', 'delete the ";": it ends a setting');

/** Whether a setting begins at an offset, judged by the text before it. */
const beginsSetting = (text: string, offset: number): boolean =>
  /(?:^|[\n\r;{}]|\*\/)[ \t]*$/.test(text.slice(Math.max(0, offset - 200), offset));

/** The remedy for a list in brackets: `agents ["a", "b"]` becomes `agents "a" "b"`. */
const withoutBrackets = (text: string, offset: number): string | null => {
  const lineStart = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  const name = /(?:^|[\s{;])([\w-]{1,64})\s*$/.exec(text.slice(Math.max(lineStart, offset - 200), offset))?.[1];
  const list = /^\[([^[\]\n\r]{0,200})\]/.exec(text.slice(offset, offset + 210))?.[1];
  if (name === undefined || list === undefined) return null;
  const items = list.split(',').map((item) => item.trim());
  const written = items.filter((item) => item !== '').join(' ');
  return `lists have no brackets: write ${name} ${written === '' ? '#null' : written}`;
};

const keywords = /^(true|false|null|inf|-inf|nan)\b/;

const describe = (error: InvalidKdlError, text: string, version: 1 | 2): KdlFault => {
  const at = Math.min(error.start?.offset ?? 0, text.length);
  // The parser quotes whole tokens, which may be long.
  const message = error.message.length > 500 ? `${error.message.slice(0, 100)}...` : error.message;
  if (beginsSetting(text, at)) {
    if (text.charAt(at) === ';') return emptyStatementFault(at);
    if (/^[+-]?\.?\d/.test(text.slice(at, at + 3))) return digitFault(text, at);
  }
  if (/\d/.test(text.charAt(at - 1)) && /^[A-Za-z]{1,3}(?![\w-])/.test(text.slice(at, at + 4))) return unitFault(at);
  if (message.startsWith('An unexpected error')) return plainFault(0, 'the structure is too deep or too long', null);
  if (message.startsWith('Unexpected character "["') || message.startsWith('Unexpected character "]"')) {
    return bracketFault(text, at);
  }
  if (message.startsWith('Invalid keyword')) {
    const offset = wordBefore(text, at);
    const word = keywords.exec(text.slice(offset, offset + 5))?.[0] ?? 'true';
    return keywordFault(offset, word);
  }
  if (message.startsWith('Unexpected identifier')) {
    const offset = wordBefore(text, at);
    return plainFault(
      offset,
      `a word without quotes is not a value in KDL ${version}`,
      text.charAt(offset) === '#' ? 'KDL 1 writes true, false and null without the number sign' : 'put it in quotes',
    );
  }
  if (message.startsWith('Invalid escape')) {
    return plainFault(
      at,
      'a string has a backslash that is no escape',
      `write ${String.raw`\\`} for a backslash, or a raw string: ${version === 1 ? String.raw`r"\.js$"` : String.raw`#"\.js$"#`}`,
    );
  }
  if (message.startsWith('Unexpected token "="')) {
    return equalsFault(at);
  }
  if (message.startsWith('Invalid node children')) {
    return plainFault(at, 'the settings of this block are not separated', 'end each one with a line end or ;');
  }
  const hint = /, (did you forget to .*\?|use triple-quotes .*|the correct syntax .*)/s.exec(message)?.[1] ?? null;
  return fault(at, bare(message), hint === null ? null : bare(hint));
};

/** The faults that a parser found, in the order of the text, one for each offset. */
export const faultsOf = (error: InvalidKdlError, text: string, version: 1 | 2): readonly KdlFault[] => {
  const faults = new Map<number, KdlFault>();
  for (const detail of error.flat()) {
    if (faults.size === maximumFaults) break;
    const found = describe(detail, text, version);
    if (!faults.has(found.offset)) faults.set(found.offset, found);
  }
  return [...faults.values()].toSorted((left, right) => left.offset - right.offset);
};
