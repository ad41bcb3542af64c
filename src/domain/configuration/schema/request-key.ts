import { isToken } from '../../http/field-syntax.js';
import { err, ok } from '../../shared/result.js';
import { didYouMean } from './did-you-mean.js';
import { type ScalarFault, type ScalarKind, text } from './scalar-kind.js';

/** A part of a request: a word, or a prefix and a name. */
export type RequestKey<Word extends string, Prefix extends string> =
  | { readonly kind: Word }
  | { readonly kind: Prefix; readonly name: string };

const longestName = 256;

/** Names of the client address in other programs. */
const clientAddress =
  /^\$?(?:ip|source|source[_-]?ip|client|client[_-]?(?:ip|addr|address)|remote[_-]?(?:ip|addr|address)|binary_remote_addr)$/i;

const firstWord = (value: string): string => value.split(/[:=\s]/, 1)[0] ?? '';

/**
 * `<word>`, or `<prefix>:<name>` with the name of a header or cookie. Header names become lower case; cookie names are
 * case-sensitive (RFC 6265, section 4.1.1).
 */
export const requestKey = <const Word extends string, const Prefix extends 'header' | 'cookie'>(
  words: readonly [Word, ...Word[]],
  prefixes: readonly Prefix[],
): ScalarKind<RequestKey<Word, Prefix>> => {
  const forms = [...words, ...prefixes.map((prefix) => `${prefix}:<name>`)];
  const wanted = `must be ${forms.map((form) => `"${form}"`).join(' or ')}`;
  const clientWord = words.find((word) => word === 'client_ip');

  const suggestionFor = (value: string): string | null => {
    const prefix = prefixes.find((known) => known === firstWord(value).toLowerCase());
    if (prefix !== undefined) return `write "${prefix}:" and the name of a ${prefix}, without a space`;
    if (clientWord !== undefined && clientAddress.test(value)) return `did you mean "${clientWord}"?`;
    return didYouMean(value, forms);
  };

  const fault = (value: string, hidden: boolean): ScalarFault =>
    hidden
      ? { message: wanted }
      : { message: `${wanted}, not "${value.slice(0, 80)}"`, suggestion: suggestionFor(value) };

  return {
    label: forms.map((form) => `\`${form}\``).join(', '),
    fallback: { kind: words[0] },
    secret: false,
    read: (scalar) => {
      const read = text.read(scalar);
      if (!read.ok) return read;
      const value = read.value;
      const word = words.find((candidate) => candidate === value);
      if (word !== undefined) return ok({ kind: word });
      const prefix = prefixes.find((candidate) => value.startsWith(`${candidate}:`));
      const name = prefix === undefined ? '' : value.slice(prefix.length + 1);
      if (prefix === undefined || !isToken(name) || name.length > longestName) return err(fault(value, scalar.hidden));
      return ok({ kind: prefix, name: prefix === 'header' ? name.toLowerCase() : name });
    },
  };
};
