/** Last words of names whose values are credentials. */
const secretWords = new Set([
  'authorization',
  'apikey',
  'cookie',
  'cookies',
  'credentials',
  'passphrase',
  'passwd',
  'password',
  'secret',
  'token',
]);

/** What makes a `key` a credential, as the word before it. */
const secretKeyWords = new Set(['access', 'api', 'encryption', 'private', 'secret', 'shared', 'signing']);

const isUpper = (character: string): boolean => character >= 'A' && character <= 'Z';
const isSeparator = (character: string): boolean => character === '-' || character === '_' || character === '.';

/** The words of `x-api-key`, `x_api_key` or `xApiKey`, in lower case. */
const wordsOf = (name: string): string[] => {
  const words: string[] = [];
  let word = '';
  for (let index = 0; index < name.length; index += 1) {
    const character = name.charAt(index);
    const begins = isUpper(character) && index > 0 && !isUpper(name.charAt(index - 1));
    if (begins || isSeparator(character)) {
      if (word !== '') words.push(word.toLowerCase());
      word = '';
    }
    if (!isSeparator(character)) word += character;
  }
  if (word !== '') words.push(word.toLowerCase());
  return words;
};

/**
 * Whether a field of this name (of a log record, a header, a query parameter) is likely to hold a credential, so that
 * its value is not to be shown. A last line of defence: nothing of that kind is meant to get that far.
 */
export const isSecretName = (name: string): boolean => {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  return secretWords.has(last) || (last === 'key' && secretKeyWords.has(words.at(-2) ?? ''));
};

/**
 * A value that must never be printed. Whatever turns it into text (JSON, a template, a log) sees `[secret]`;
 * only `reveal` gives the value.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }
}
