import type { Result } from '../shared/result.js';
import { err, ok } from '../shared/result.js';
import { Secret } from '../shared/secret.js';
import { isWellFormed } from '../shared/well-formed.js';
import type { ApiKey, BasicUser, EntrySource } from './agent-configuration.js';

const entrySource = (text: string): EntrySource =>
  text.startsWith('@') ? { kind: 'file', path: text.slice(1) } : { kind: 'entry', text: new Secret(text) };

/** Reads an entry that stands alone, commas and all. White space around it does not count; null where nothing is left. */
export const parseSingleEntry = (text: string): EntrySource | null => {
  const trimmed = text.trim();
  return trimmed === '' ? null : entrySource(trimmed);
};

/**
 * Splits a list written as one text: at commas and line ends, `\,` being a comma. White space around an entry and empty
 * entries do not count. An entry `@FILE` names a file that holds one entry a line.
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
    } else if (character === ',' || character === '\n' || character === '\r') finish();
    else entry += character;
  }
  finish();
  return sources;
};

/** The entries of a file named by `@FILE`: one a line, taken as they are. Empty lines and lines that begin with `#` do not count. */
export const parseEntryFile = (text: string): Secret[] =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => new Secret(line));

/** Paths of the files that a list refers to. */
export const entryFiles = (sources: readonly EntrySource[]): string[] =>
  sources.flatMap((source) => (source.kind === 'file' ? [source.path] : []));

/**
 * What a message may call the file of an entry: a key or password that begins with `@` would be taken for a path, so the
 * text is shown only where it looks like a path and cannot be an entry.
 */
export const shownEntryFile = (path: string): string =>
  /^\.{0,2}\//.test(path) && !path.includes(':') ? `the file ${path}` : 'the file that it names';

const hashedKey = /^sha256:/i;
const hashedPassword = /^(sha256:|\$2[abxy]?\$|\$argon2|\$scrypt\$|\{[A-Z0-9-]+\})/i;
/** Printable ASCII: what a header field can carry without a question of encoding. */
const printable = /^[\x20-\x7e]+$/;
/** RFC 7617, section 2: neither a user nor a password holds one. */
const control = /[\x00-\x1f\x7f]/;

/** Reads `<key>:<name>`, split at the last colon. The error is a message that holds nothing of the entry. */
export const parseApiKey = (entry: Secret): Result<ApiKey, string> => {
  const text = entry.reveal();
  const colon = text.lastIndexOf(':');
  if (colon < 0) return err('has no colon: an entry is <key>:<name>');
  const key = text.slice(0, colon).trim();
  const name = text.slice(colon + 1).trim();
  if (key === '') return err('has no key before its last colon');
  if (name === '') return err('has no name after its last colon');
  if (hashedKey.test(key)) return err('is hashed, and hashed keys are not supported yet');
  if (!printable.test(key)) return err('has a key with characters other than printable ASCII');
  if (control.test(name) || !isWellFormed(name)) return err('has a name with control characters or broken ones');
  return ok({ key: new Secret(key), name });
};

/** Reads `<user>:<password>`, split at the first colon. The error is a message that holds nothing of the entry. */
export const parseBasicUser = (entry: Secret): Result<BasicUser, string> => {
  const text = entry.reveal();
  const colon = text.indexOf(':');
  if (colon < 0) return err('has no colon: an entry is <user>:<password>');
  const user = text.slice(0, colon);
  const password = text.slice(colon + 1);
  if (user === '') return err('has no user before its first colon');
  if (password === '') return err('has no password after its first colon');
  if (hashedPassword.test(password)) return err('has a hashed password, and hashed passwords are not supported yet');
  if (control.test(text) || !isWellFormed(text)) return err('has control characters or broken ones');
  return ok({ user, password: new Secret(password) });
};
