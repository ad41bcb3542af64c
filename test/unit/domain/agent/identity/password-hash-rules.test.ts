import { describe, expect, it } from 'vitest';
import {
  decoyHash,
  looksHashed,
  type PasswordHash,
  readPasswordHash,
  weakness,
} from '../../../../../src/domain/agent/identity/password-hash-rules.js';

const salt = 'c29tZXNhbHRzb21lc2FsdA';
const digest = 'NSE0TLUwzzA3tOhN3m1bNRQwsvMWXzLlFcQaTKl8Fqs';

const argon2id = (parameters: string): string => `$argon2id$v=19$${parameters}$${salt}$${digest}`;
const scrypt = (parameters: string): string => `$scrypt$${parameters}$${salt}$${digest}`;
const bcrypt = (cost: string): string => `$2b$${cost}$4PGet6t869MuWtbdJKNPW.fAIJb9Yt1lldbA7/BA5mCjMtTLimg4y`;

const hashOf = (text: string): PasswordHash => {
  const hash = readPasswordHash(text);
  if (!hash.ok) throw new Error(hash.error);
  return hash.value;
};
const faultOf = (text: string): string => {
  const hash = readPasswordHash(text);
  return hash.ok ? 'accepted' : hash.error;
};

describe('the hash of a password', () => {
  it('is bcrypt, argon2id or scrypt', () => {
    expect(hashOf(bcrypt('10')).kind).toBe('bcrypt');
    expect(hashOf(bcrypt('10').replace('$2b', '$2a')).kind).toBe('bcrypt');
    expect(hashOf(bcrypt('10').replace('$2b', '$2y')).kind).toBe('bcrypt');
    expect(hashOf(argon2id('m=19456,t=2,p=1')).kind).toBe('argon2id');
    expect(hashOf(scrypt('ln=17,r=8,p=1')).kind).toBe('scrypt');
    expect(hashOf(scrypt('ln=17,r=8,p=1')).text.reveal()).toBe(scrypt('ln=17,r=8,p=1'));
  });

  it.each([
    '$2$10$4PGet6t869MuWtbdJKNPW.fAIJb9Yt1lldbA7/BA5mCjMtTLimg4y',
    '$2x$10$4PGet6t869MuWtbdJKNPW.fAIJb9Yt1lldbA7/BA5mCjMtTLimg4y',
    argon2id('m=19456,t=2,p=1').replace('argon2id', 'argon2i'),
    argon2id('m=19456,t=2,p=1').replace('argon2id', 'argon2d'),
    '$1$abcdefgh$0123456789',
    '$5$rounds=5000$abc$def',
    '$6$abc$def',
    '$y$j9T$abc$def',
    '$apr1$abc$def',
    '$pbkdf2-sha256$29000$abc$def',
    '{SSHA}abcdef',
    'sha256:0123',
    '$ARGON2ID$v=19$m=19456,t=2,p=1$abc$def',
  ])('is not treated as a plain-text password if of another kind: %s', (text) => {
    expect(looksHashed(text)).toBe(true);
    expect(faultOf(text)).toContain('unsupported');
  });

  it.each(['correct horse', '$ecret', '$100', '$2', 'sha256', '{', 'a$argon2id$', '$12$34'])(
    'is not detected in a plain-text password: %s',
    (text) => {
      expect(looksHashed(text)).toBe(false);
    },
  );

  it.each([
    [bcrypt('03'), 'a cost below 4'],
    [bcrypt('17'), 'a cost above 16'],
    [bcrypt('99'), 'a cost above 16'],
    [argon2id('m=262145,t=2,p=1'), 'm is above 262144 (256 MiB)'],
    [argon2id('m=4294967295,t=2,p=1'), 'm is above 262144 (256 MiB)'],
    [argon2id('m=7,t=2,p=1'), 'm is below 8 times p'],
    [argon2id('m=127,t=2,p=16'), 'm is below 8 times p'],
    [argon2id('m=19456,t=21,p=1'), 't is not from 1 to 20'],
    [argon2id('m=19456,t=0,p=1'), 't is not from 1 to 20'],
    [argon2id('m=19456,t=2,p=17'), 'p is not from 1 to 16'],
    [argon2id('m=19456,t=2,p=0'), 'p is not from 1 to 16'],
    [scrypt('ln=0,r=8,p=1'), 'ln is not from 1 to 24'],
    [scrypt('ln=63,r=8,p=1'), 'ln is not from 1 to 24'],
    [scrypt('ln=19,r=8,p=1'), 'more than 256 MiB'],
    [scrypt('ln=14,r=0,p=1'), 'r is not from 1 to 256'],
    [scrypt('ln=1,r=1048576,p=1'), 'r is not from 1 to 256'],
    [scrypt('ln=16,r=1,p=1'), 'ln is not below 16 times r'],
    [scrypt('ln=14,r=8,p=17'), 'p is not from 1 to 16'],
  ])('is refused above a limit, which is named: %s', (text, bound) => {
    expect(faultOf(text)).toContain(bound);
  });

  it.each([
    bcrypt('16'),
    bcrypt('04'),
    argon2id('m=262144,t=20,p=16'),
    argon2id('m=8,t=1,p=1'),
    scrypt('ln=18,r=8,p=16'),
  ])('is accepted at its limits: %s', (text) => {
    expect(faultOf(text)).toBe('accepted');
  });

  it.each([
    ['no digest', '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA'],
    ['another version', argon2id('m=19456,t=2,p=1').replace('v=19', 'v=16')],
    ['no version', argon2id('m=19456,t=2,p=1').replace('$v=19', '')],
    ['another order', argon2id('t=2,m=19456,p=1')],
    ['a parameter more', argon2id('m=19456,t=2,p=1,keyid=1')],
    ['a parameter twice', argon2id('m=19456,m=19456,t=2,p=1')],
    ['a sign', argon2id('m=+19456,t=2,p=1')],
    ['a negative number', argon2id('m=19456,t=-2,p=1')],
    ['an exponent', argon2id('m=1e4,t=2,p=1')],
    ['padding', `${argon2id('m=19456,t=2,p=1')}=`],
    ['base64 with bits left over', `$argon2id$v=19$m=19456,t=2,p=1$${salt.slice(0, -1)}B$${digest}`],
    ['something behind it', `${argon2id('m=19456,t=2,p=1')}$x`],
    ['no salt', `$argon2id$v=19$m=19456,t=2,p=1$$${digest}`],
    ['a short salt', `$argon2id$v=19$m=19456,t=2,p=1$c29tZQ$${digest}`],
    ['a digest that is soon guessed', `$argon2id$v=19$m=19456,t=2,p=1$${salt}$AAAA`],
    ['no digest at all', `$scrypt$ln=17,r=8,p=1$${salt}$`],
    ['a version of scrypt', scrypt('ln=17,r=8,p=1').replace('$ln', '$v=19$ln')],
    ['a cost of one digit', '$2b$4$4PGet6t869MuWtbdJKNPW.fAIJb9Yt1lldbA7/BA5mCjMtTLimg4y'],
    ['a bcrypt hash cut short', bcrypt('10').slice(0, -1)],
    ['a bcrypt hash with more', `${bcrypt('10')}y`],
    ['a bcrypt salt that matches nothing', bcrypt('10').replace('NPW.fAI', 'NPWxfAI')],
    ['a bcrypt digest that matches nothing', `${bcrypt('10').slice(0, -1)}z`],
  ])('is refused with %s', (_, text) => {
    expect(faultOf(text)).not.toBe('accepted');
  });
});

describe('the strength of a hash', () => {
  it.each([
    bcrypt('10'),
    argon2id('m=19456,t=2,p=1'),
    argon2id('m=65536,t=1,p=4'),
    argon2id('m=7168,t=5,p=1'),
    scrypt('ln=17,r=8,p=1'),
    scrypt('ln=15,r=8,p=3'),
  ])('meets the OWASP minimum: %s', (text) => {
    expect(weakness(hashOf(text))).toBeNull();
  });

  it.each([
    [bcrypt('09'), 'bcrypt with cost 9; use at least 10'],
    [argon2id('m=19456,t=1,p=1'), 'argon2id with m=19456,t=1,p=1; use at least m=19456,t=2,p=1'],
    [argon2id('m=4096,t=20,p=1'), 'argon2id with m=4096,t=20,p=1; use at least m=19456,t=2,p=1'],
    [scrypt('ln=14,r=8,p=1'), 'scrypt with ln=14,r=8,p=1; use at least ln=17,r=8,p=1'],
  ])('is below the minimum, and reported: %s', (text, told) => {
    expect(weakness(hashOf(text))).toBe(told);
  });
});

describe('a decoy', () => {
  it('has the parameters of most hashes, and a different salt and digest', () => {
    const hashes = [
      bcrypt('10'),
      argon2id('m=19456,t=2,p=1'),
      argon2id('m=65536,t=1,p=4'),
      argon2id('m=19456,t=2,p=1'),
    ];
    const decoy = decoyHash(hashes.map(hashOf));
    expect(decoy?.kind).toBe('argon2id');
    expect(decoy?.text.reveal()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$A{22}\$A{43}$/);
  });

  it.each([bcrypt('12'), argon2id('m=19456,t=2,p=1'), scrypt('ln=15,r=8,p=3')])('parses as such a hash: %s', (text) => {
    const decoy = decoyHash([hashOf(text)]);
    const read = readPasswordHash(decoy?.text.reveal() ?? '');
    expect(read.ok && read.value.kind).toBe(hashOf(text).kind);
  });

  it('is not needed without hashed passwords', () => {
    expect(decoyHash([])).toBeNull();
  });
});
