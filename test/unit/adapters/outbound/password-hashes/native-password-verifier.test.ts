import { describe, expect, it } from 'vitest';
import { nativeModules } from '../../../../../src/adapters/outbound/password-hashes/native-modules.js';
import { NativePasswordHasher } from '../../../../../src/adapters/outbound/password-hashes/native-password-hasher.js';
import { NativePasswordVerifier } from '../../../../../src/adapters/outbound/password-hashes/native-password-verifier.js';
import { type PasswordHash, readPasswordHash } from '../../../../../src/domain/agent/identity/password-hash-rules.js';

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

describe('bcrypt', () => {
  it('does not take two passwords for one where they differ behind 72 octets', async () => {
    const long = 'p'.repeat(72);
    const { bcrypt } = nativeModules;
    const { hash } = await bcrypt();
    expect(await matches(long, await hash(long, { cost: 4 }))).toBe(true);
    // The module itself sees no difference.
    expect(await (await bcrypt()).verify(`${long}x`, await hash(long, { cost: 4 }))).toBe(true);
    expect(await matches(`${long}x`, await hash(long, { cost: 4 }))).toBe(false);
    const wide = 'ä'.repeat(37);
    expect(await matches(wide, await hash(wide, { cost: 4 }))).toBe(false);
  });

  it('is the same under each of its three names', async () => {
    const { hash } = await nativeModules.bcrypt();
    const text = await hash('pässword', { cost: 4 });
    for (const name of ['$2a', '$2b', '$2y']) expect(await matches('pässword', text.replace('$2b', name))).toBe(true);
  });
});

describe('a platform without the native modules', () => {
  const missing = {
    bcrypt: () => Promise.reject(new Error('dlopen')),
    argon2: () => Promise.reject(new Error('dlopen')),
  };
  const lacking = new NativePasswordVerifier(missing);

  it('is told of when a hash would need one', async () => {
    for (const [kind, text] of known) {
      const prepared = await lacking.prepare(hashOf(text));
      expect(prepared.ok || prepared.error).toEqual(
        kind === 'scrypt'
          ? true
          : expect.stringMatching(/^the package @node-rs\/(?:bcrypt|argon2) cannot be loaded on /),
      );
    }
  });

  it('lets nobody in by it, and calls no password wrong by it', async () => {
    for (const [kind, text, password] of [known[0], known[1]]) {
      expect(await lacking.matches(password, hashOf(text))).toEqual({
        ok: false,
        error: `${kind} failed: memory may be short, or the package is missing`,
      });
    }
    expect(await checked('pleaseletmein', hashOf(scrypt), lacking)).toBe(true);
  });

  it('makes no hash by it', async () => {
    const hashed = await new NativePasswordHasher(missing).hash('p', 'argon2id');
    expect(hashed.ok || hashed.error).toMatch(/^the package @node-rs\/argon2 cannot be loaded on /);
  });
});

it('a check for which there is no memory is no mismatch, and its error holds nothing of the password', async () => {
  const exhausted = new NativePasswordVerifier({
    ...nativeModules,
    argon2: async () => ({
      ...(await nativeModules.argon2()),
      verify: (_hash, password) => Promise.reject(new Error(`no memory for ${password}`)),
    }),
  });
  expect(await exhausted.matches('password', hashOf(known[0][1]))).toEqual({
    ok: false,
    error: 'argon2id failed: memory may be short, or the package is missing',
  });
});
