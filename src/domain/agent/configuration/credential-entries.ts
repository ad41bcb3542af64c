import { err, ok, type Result } from '../../shared/result.js';
import { Secret } from '../../shared/secret.js';
import { isWellFormed } from '../../shared/utf8.js';
import { looksHashed, normalForm, readPasswordHash } from '../identity/password-hash-rules.js';
import type { ApiKey, ApiKeySecret, BasicUser, EntrySource } from './agent-configuration.js';

const entrySource = (text: string): EntrySource =>
  text.startsWith('@') ? { kind: 'file', path: text.slice(1) } : { kind: 'entry', text: new Secret(text) };

/**
 * Reads a single entry, including its commas. Ignores leading white space; trailing white space is kept to be reported,
 * unless it follows a path. Null if empty.
 */
export const parseSingleEntry = (text: string): EntrySource | null => {
  const entry = text.trimStart();
  return entry === '' ? null : entrySource(entry.startsWith('@') ? entry.trimEnd() : entry);
};

/**
 * Reports trailing white space of an entry; null if there is none. It may be a slip or the end of a password, so
 * removing it would be a guess. Entries of a list have none, because it separates them there.
 */
export const entryEndFault = (entry: Secret): string | null => {
  const text = entry.reveal();
  return text === text.trimEnd() ? null : 'ends in white space: remove it';
};

/** A password hash that ends in one of its parameters: `:$argon2id$v=19$m=65536`. */
const openParameters = /:\$(?:argon2id\$v=\d+|scrypt)\$(?:[a-z]+=\d+,)*[a-z]+=\d+$/;
const nextParameter = /^[a-z]+=\d+[,$]/;
/** Maximum length of a parameter. */
const parameterLength = 16;

/** Whether the comma at this position separates the parameters of a hash. */
const isInHash = (entry: string, text: string, comma: number): boolean =>
  nextParameter.test(text.slice(comma + 1, comma + 1 + parameterLength)) && openParameters.test(entry);

/**
 * Splits a list in one text at commas and line ends, except `\,` and commas inside a password hash. Ignores surrounding
 * white space and empty entries. `@FILE` names a file with one entry per line.
 */
export const parseEntryList = (text: string): EntrySource[] => {
  const sources: EntrySource[] = [];
  let entry = '';
  const finish = () => {
    const trimmed = entry.trim();
    entry = '';
    if (trimmed !== '') sources.push(entrySource(trimmed));
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\\' && text.charAt(index + 1) === ',') {
      entry += ',';
      index += 1;
    } else if (character === ',' && isInHash(entry, text, index)) entry += character;
    else if (character === ',' || character === '\n' || character === '\r') finish();
    else entry += character;
  }
  finish();
  return sources;
};

/**
 * The entries of an `@FILE`: one per line, without leading white space. Ignores empty lines and lines that begin with
 * `#`.
 */
export const parseEntryFile = (text: string): Secret[] =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((line) => line.trimStart())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => new Secret(line));

/** Paths of the files that a list names. */
export const entryFiles = (sources: readonly EntrySource[]): string[] =>
  sources.flatMap((source) => (source.kind === 'file' ? [source.path] : []));

/**
 * How a message names the file of an entry. A key or password that begins with `@` looks like a path, so the text is
 * shown only if it looks like a path and cannot be an entry.
 */
export const shownEntryFile = (path: string): string =>
  /^\.{0,2}\//.test(path) && !path.includes(':') ? `the file ${path}` : 'its file';

/** The prefix of a key's digest, which is hexadecimal as from `sha256sum`. */
const digestPrefix = 'sha256:';
const hexadecimalDigest = /^[0-9a-f]{64}$/i;
/** Printable ASCII, which a header can carry without an encoding. */
const printable = /^[\x20-\x7e]+$/;
/** Neither users nor passwords contain one (RFC 7617, section 2). */
const control = /[\x00-\x1f\x7f]/;

const startsWithDigestPrefix = (text: string): boolean =>
  text.slice(0, digestPrefix.length).toLowerCase() === digestPrefix;

const apiKeySecret = (key: string): Result<ApiKeySecret, string> => {
  if (startsWithDigestPrefix(key)) {
    const digest = key.slice(digestPrefix.length);
    if (!hexadecimalDigest.test(digest))
      return err('does not have 64 hexadecimal digits between sha256: and the last colon');
    return ok({ kind: 'sha256', digest: new Secret(digest.toLowerCase()) });
  }
  if (!printable.test(key)) return err('has a key with characters other than printable ASCII');
  return ok({ kind: 'plain', text: new Secret(key) });
};

/**
 * Parses `<key>:<name>`, split at the last colon; the key may be `sha256:<digest>`. The error contains nothing of the
 * entry.
 */
export const parseApiKey = (entry: Secret): Result<ApiKey, string> => {
  const text = entry.reveal();
  const colon = text.lastIndexOf(':');
  if (colon < 0) return err('has no colon: an entry is <key>:<name>');
  const key = text.slice(0, colon).trim();
  const name = text.slice(colon + 1).trim();
  if (key === '') return err('has no key before its last colon');
  if (name === '') return err('has no name after its last colon');
  if (startsWithDigestPrefix(text.trim()) && colon === text.indexOf(':')) {
    return err('has no name: a hashed key is sha256:<digest>:<name>');
  }
  if (control.test(name) || !isWellFormed(name)) return err('has a name with control characters or broken ones');
  const secret = apiKeySecret(key);
  return secret.ok ? ok({ key: secret.value, name }) : secret;
};

/**
 * Parses `<user>:<password>`, split at the first colon; the password may be a hash. Both are normalised. The error
 * contains nothing of the entry.
 */
export const parseBasicUser = (entry: Secret): Result<BasicUser, string> => {
  const text = entry.reveal();
  const colon = text.indexOf(':');
  if (colon < 0) return err('has no colon: an entry is <user>:<password>');
  const user = normalForm(text.slice(0, colon));
  const password = normalForm(text.slice(colon + 1));
  if (user === '') return err('has no user before its first colon');
  if (password === '') return err('has no password after its first colon');
  if (control.test(text) || !isWellFormed(text)) return err('has control characters or broken ones');
  if (!looksHashed(password)) return ok({ user, password: { kind: 'plain', text: new Secret(password) } });
  const hash = readPasswordHash(password);
  return hash.ok ? ok({ user, password: hash.value }) : err(`has a password that ${hash.error}`);
};
