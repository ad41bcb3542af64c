/** Last words of names of credentials. */
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

/** Words before `key` that mark a credential. */
const secretKeyWords = new Set(['access', 'api', 'encryption', 'private', 'secret', 'shared', 'signing']);

const isUpper = (character: string): boolean => character >= 'A' && character <= 'Z';
const isSeparator = (character: string): boolean => character === '-' || character === '_' || character === '.';

/** The words of `x-api-key`, `x_api_key` or `xApiKey`, in lower case. */
const wordsOf = (name: string): string[] => {
  const words: string[] = [];
  let word = '';
  for (let index = 0; index < name.length; index += 1) {
    const character = name.charAt(index);
    const startsWord = isUpper(character) && index > 0 && !isUpper(name.charAt(index - 1));
    if (startsWord || isSeparator(character)) {
      if (word !== '') words.push(word.toLowerCase());
      word = '';
    }
    if (!isSeparator(character)) word += character;
  }
  if (word !== '') words.push(word.toLowerCase());
  return words;
};

/**
 * Whether a field name (of a log record, header or query parameter) suggests a credential. A last line of defence:
 * callers should not pass credentials here.
 */
export const isSecretName = (name: string): boolean => {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  return secretWords.has(last) || (last === 'key' && secretKeyWords.has(words.at(-2) ?? ''));
};

/** A value that must never be printed. JSON, templates and logs show `[secret]`; only `reveal` returns the value. */
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
