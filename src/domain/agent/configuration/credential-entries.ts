import { err, ok, type Result } from '../../shared/result.js';
import { Secret } from '../../shared/secret.js';
import { isWellFormed } from '../../shared/utf8.js';
import { looksHashed, normalForm, readPasswordHash } from '../identity/password-hash-rules.js';
import type { ApiKey, ApiKeySecret, BasicUser, EntrySource } from './agent-configuration.js';

const entrySource = (text: string): EntrySource =>
  text.startsWith('@') ? { kind: 'file', path: text.slice(1) } : { kind: 'entry', text: new Secret(text) };

/**
 * Reads an entry that stands alone, commas and all. White space before it does not count; what is behind it stays, to
 * be reported, unless it follows a path. Null where there is nothing else.
 */
export const parseSingleEntry = (text: string): EntrySource | null => {
  const entry = text.trimStart();
  return entry === '' ? null : entrySource(entry.startsWith('@') ? entry.trimEnd() : entry);
};

/**
 * Says that an entry ends in white space, null where it does not. It may be a slip, or the end of a password: to drop
 * it would be a guess. An entry of a list has none: there it is what separates.
 */
export const entryEndFault = (entry: Secret): string | null => {
  const text = entry.reveal();
  return text === text.trimEnd() ? null : 'ends in white space: remove it';
};

/** A hash of a password that has begun, up to one of its parameters: `:$argon2id$v=19$m=65536`. */
const openParameters = /:\$(?:argon2id\$v=\d+|scrypt)\$(?:[a-z]+=\d+,)*[a-z]+=\d+$/;
const nextParameter = /^[a-z]+=\d+[,$]/;
/** No parameter that is read is longer. */
const parameterLength = 16;

/** Whether a comma at this place is one of a hash, which has them between its parameters. */
const isInHash = (entry: string, text: string, comma: number): boolean =>
  nextParameter.test(text.slice(comma + 1, comma + 1 + parameterLength)) && openParameters.test(entry);

/**
 * Splits a list written as one text: at commas and line ends, `\,` being a comma, and so are those inside a password
 * hash. White space around an entry and empty entries do not count. An entry `@FILE` names a file that holds one
 * entry a line.
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
 * The entries of a file named by `@FILE`: one a line, taken as they are but for white space before them. Empty lines
 * and lines that begin with `#` do not count.
 */
export const parseEntryFile = (text: string): Secret[] =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((line) => line.trimStart())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => new Secret(line));

/** Paths of the files that a list refers to. */
export const entryFiles = (sources: readonly EntrySource[]): string[] =>
  sources.flatMap((source) => (source.kind === 'file' ? [source.path] : []));

/**
 * What a message may call the file of an entry: a key or password that begins with `@` would be taken for a path, so
 * the text is shown only where it looks like a path and cannot be an entry.
 */
export const shownEntryFile = (path: string): string =>
  /^\.{0,2}\//.test(path) && !path.includes(':') ? `the file ${path}` : 'the file that it names';

/** Before the digest of a key, as `sha256sum` has it in hexadecimal. */
const digestPrefix = 'sha256:';
const hexadecimalDigest = /^[0-9a-f]{64}$/i;
/** Printable ASCII: what a header field can carry without a question of encoding. */
const printable = /^[\x20-\x7e]+$/;
/** RFC 7617, section 2: neither a user nor a password holds one. */
const control = /[\x00-\x1f\x7f]/;

const startsWithDigestPrefix = (text: string): boolean =>
  text.slice(0, digestPrefix.length).toLowerCase() === digestPrefix;

const apiKeySecret = (key: string): Result<ApiKeySecret, string> => {
  if (startsWithDigestPrefix(key)) {
    const digest = key.slice(digestPrefix.length);
    if (!hexadecimalDigest.test(digest)) return err('has no 64 hexadecimal digits between sha256: and the last colon');
    return ok({ kind: 'sha256', digest: new Secret(digest.toLowerCase()) });
  }
  if (!printable.test(key)) return err('has a key with characters other than printable ASCII');
  return ok({ kind: 'plain', text: new Secret(key) });
};

/**
 * Reads `<key>:<name>`, split at the last colon; the key may be `sha256:<digest>`. The error is a message that holds
 * nothing of the entry.
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
 * Reads `<user>:<password>`, split at the first colon; the password may be a hash. Both come in normal form. The
 * error is a message that holds nothing of the entry.
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
