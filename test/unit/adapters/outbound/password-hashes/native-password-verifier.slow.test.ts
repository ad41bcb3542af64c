import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NativePasswordHasher } from '../../../../../src/adapters/outbound/password-hashes/native-password-hasher.js';
import { NativePasswordVerifier } from '../../../../../src/adapters/outbound/password-hashes/native-password-verifier.js';
import { passwordAlgorithms } from '../../../../../src/domain/agent/identity/new-password.js';
import {
  decoyHash,
  type PasswordHash,
  readPasswordHash,
  weakness,
} from '../../../../../src/domain/agent/identity/password-hash-rules.js';

const hashOf = (text: string): PasswordHash => {
  const hash = readPasswordHash(text);
  if (!hash.ok) throw new Error(hash.error);
  return hash.value;
};
const unpadded = (hex: string): string => Buffer.from(hex, 'hex').toString('base64').replace(/=+$/, '');

const verifier = new NativePasswordVerifier();
const checked = async (password: string, hash: PasswordHash, by = verifier): Promise<boolean> => {
  const matches = await by.matches(password, hash);
  if (!matches.ok) throw new Error(matches.error);
  return matches.value;
};
const matches = (password: string, text: string): Promise<boolean> => checked(password, hashOf(text));

/** RFC 7914, section 12. */
const scrypt = `$scrypt$ln=14,r=8,p=1$${Buffer.from('SodiumChloride').toString('base64').replace(/=+$/, '')}$${unpadded(
  '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2' +
    'd5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
)}`;

/** As other implementations made them. */
const known = [
  ['argon2id', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc', 'password'],
  ['bcrypt', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'U*U'],
  ['scrypt', scrypt, 'pleaseletmein'],
] as const;

describe.each(known)('%s', (kind, text, password) => {
  it('is checked as others check it', async () => {
    expect(await matches(password, text)).toBe(true);
    expect(await matches(`${password} `, text)).toBe(false);
    expect(await matches(password.toUpperCase().toLowerCase().slice(1), text)).toBe(false);
    expect(await matches('', text)).toBe(false);
    expect(await matches(text, text)).toBe(false);
  });

  it('can be checked here', async () => {
    expect(await verifier.prepare(hashOf(text))).toEqual({ ok: true, value: undefined });
  });

  it('has decoys that no password matches', async () => {
    const decoy = decoyHash([hashOf(text)]);
    expect(decoy?.kind).toBe(kind);
    for (const guess of ['', password, '\0']) expect(await checked(guess, decoy as PasswordHash)).toBe(false);
  });

  it('is checked beside other work, not before it', async () => {
    const order: string[] = [];
    const done = matches('another password', text).then(() => order.push('checked'));
    await new Promise((resolve) => setImmediate(resolve));
    order.push('other work');
    await done;
    expect(order).toEqual(['other work', 'checked']);
  });
});

describe('scrypt at its bounds', () => {
  it.each([
    { logN: 18, r: 8, p: 1 },
    { logN: 1, r: 256, p: 16 },
  ])('has the memory that it needs: %o', async ({ logN, r, p }) => {
    const salt = Buffer.alloc(48, 7);
    const made = scryptSync('password', salt, 64, { N: 2 ** logN, r, p, maxmem: 2 ** 30 });
    const text = `$scrypt$ln=${logN},r=${r},p=${p}$${salt.toString('base64')}$${unpadded(made.toString('hex'))}`;
    expect(await matches('password', text)).toBe(true);
  });
});

describe('new hashes', () => {
  const hasher = new NativePasswordHasher();

  it.each(passwordAlgorithms)('of %s match their password alone, and are strong enough', async (algorithm) => {
    const hash = await hasher.hash('correct horse', algorithm);
    if (!hash.ok) throw new Error(hash.error);
    expect(hash.value.kind).toBe(algorithm);
    const read = hashOf(hash.value.text.reveal());
    expect(weakness(read)).toBeNull();
    expect(await checked('correct horse', read)).toBe(true);
    expect(await checked('correct horses', read)).toBe(false);
  });

  it('of one password differ', async () => {
    const [first, second] = await Promise.all([hasher.hash('same', 'argon2id'), hasher.hash('same', 'argon2id')]);
    expect(first.ok && second.ok && first.value.text.reveal() !== second.value.text.reveal()).toBe(true);
  });
});
