import { describe, expect, it } from 'vitest';
import {
  entryEndFault,
  parseApiKey,
  parseBasicUser,
  parseEntryFile,
  parseEntryList,
  parseSingleEntry,
} from '../../../../../src/domain/agent/configuration/credential-entries.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';

const digest = 'c1fbe8190cf0ec79cc2658833f88c45e0e0742a551e6ff395177b0830f6815f8';
const argon2id = '$argon2id$v=19$m=19456,t=2,p=1$c7DYNBRKv+Vm6KYYP9H4eg$7aSoPON4sad28HRnT92xfC6jteYvELwxTLsXDq8w0Lo';
const scrypt = '$scrypt$ln=17,r=8,p=1$s1lKrzudzcGE8Dk+VkelIA$d9iDL9SGsUg/DYYuxWpDSAYLuForJzNMYkkgXTHdyBM';
const bcrypt = '$2b$12$bJfwQVuN0k3VvUl8.rdY2.8IeqwMgsWEfrndrZqdOcyzbWlJkyvIC';

const key = (entry: string) => {
  const parsed = parseApiKey(new Secret(entry));
  if (!parsed.ok) return parsed.error;
  const { key, name } = parsed.value;
  return { kind: key.kind, text: key.kind === 'plain' ? key.text.reveal() : key.digest.reveal(), name };
};
const user = (entry: string) => {
  const parsed = parseBasicUser(new Secret(entry));
  if (!parsed.ok) return parsed.error;
  const { user, password } = parsed.value;
  return { user, kind: password.kind, text: password.text.reveal() };
};
const entries = (text: string): string[] =>
  parseEntryList(text).map((entry) => (entry.kind === 'file' ? `@${entry.path}` : entry.text.reveal()));

describe('an API key entry', () => {
  it('gives the plain-text key', () => {
    expect(key('k:with:colons:reports')).toEqual({ kind: 'plain', text: 'k:with:colons', name: 'reports' });
  });

  it('gives the digest of the key, with digits in any case', () => {
    const known = { kind: 'sha256', text: digest, name: 'reports' };
    expect(key(`sha256:${digest}:reports`)).toEqual(known);
    expect(key(`SHA256:${digest.toUpperCase()}:reports`)).toEqual(known);
    expect(key(` sha256:${digest} : reports `)).toEqual(known);
  });

  it.each([
    `sha256:${digest.slice(1)}:reports`,
    `sha256:${digest}0:reports`,
    `sha256:${digest.slice(0, -1)}g:reports`,
    `sha256:${digest}:a:reports`,
    'sha256::reports',
    `sha256: ${digest}:reports`,
  ])('refuses an invalid digest instead of treating it as a key: %s', (entry) => {
    expect(key(entry)).toBe('does not have 64 hexadecimal digits between sha256: and the last colon');
  });

  it('does not treat a digest without a name as the key "sha256"', () => {
    expect(key(`sha256:${digest}`)).toBe('has no name: a hashed key is sha256:<digest>:<name>');
    expect(key(`SHA256: ${digest}`)).toBe('has no name: a hashed key is sha256:<digest>:<name>');
  });
});

describe('an entry of HTTP Basic', () => {
  it('gives the plain-text password', () => {
    expect(user('ann:correct:horse')).toEqual({ user: 'ann', kind: 'plain', text: 'correct:horse' });
    expect(user('ann:$ecret')).toEqual({ user: 'ann', kind: 'plain', text: '$ecret' });
  });

  it('gives the hash', () => {
    expect(user(`ann:${argon2id}`)).toEqual({ user: 'ann', kind: 'argon2id', text: argon2id });
    expect(user(`ann:${bcrypt}`)).toEqual({ user: 'ann', kind: 'bcrypt', text: bcrypt });
    expect(user(`ann:${scrypt}`)).toEqual({ user: 'ann', kind: 'scrypt', text: scrypt });
  });

  it('refuses an unverifiable hash, in a message that contains nothing of it', () => {
    expect(user('ann:$2b$31$bJfwQVuN0k3VvUl8.rdY2.8IeqwMgsWEfrndrZqdOcyzbWlJkyvIC')).toBe(
      'has a password that is a bcrypt hash with a cost above 16',
    );
    expect(user('ann:$6$salt$hash')).toMatch(/^has a password that uses an unsupported hash/);
    expect(user('ann:$argon2id$v=19$m=19456')).toMatch(/^has a password that is not an argon2id hash/);
  });
});

describe('a list of entries', () => {
  it('splits at commas, but not inside a hash', () => {
    expect(entries(`ann:${argon2id},bob:${scrypt},eve:${bcrypt},joe:plain`)).toEqual([
      `ann:${argon2id}`,
      `bob:${scrypt}`,
      `eve:${bcrypt}`,
      'joe:plain',
    ]);
  });

  it('accepts a hash with escaped commas', () => {
    expect(entries(`ann:${argon2id.replaceAll(',', '\\,')},joe:plain`)).toEqual([`ann:${argon2id}`, 'joe:plain']);
  });

  it('splits a text that only resembles hash parameters', () => {
    expect(entries('ann:m=1,t=2,p=1')).toEqual(['ann:m=1', 't=2', 'p=1']);
    expect(entries('ann:$argon2id$v=19$m=1,bob:t=2')).toEqual(['ann:$argon2id$v=19$m=1', 'bob:t=2']);
    expect(entries(`ann:${argon2id},t=2,bob`)).toEqual([`ann:${argon2id}`, 't=2', 'bob']);
    expect(entries('$argon2id$v=19$m=1,t=2,x')).toEqual(['$argon2id$v=19$m=1', 't=2', 'x']);
  });
});

describe('trailing white space of an entry', () => {
  const read = (text: string) => parseSingleEntry(text);
  const fault = (text: string) => entryEndFault(new Secret(text));

  it('is reported for an entry alone or in a file', () => {
    const source = read('ann:pw ');
    expect(source?.kind === 'entry' && fault(source.text.reveal())).toBe('ends in white space: remove it');
    expect(parseEntryFile('ann:pw \r\n  bob:pw\n').map((entry) => entryEndFault(entry) !== null)).toEqual([
      true,
      false,
    ]);
  });

  it('is not reported in the middle, at the start, or after a path', () => {
    expect(fault('ann:correct horse')).toBeNull();
    expect(read(' \t')).toBeNull();
    expect(read(' @/keys ')).toEqual({ kind: 'file', path: '/keys' });
  });
});
