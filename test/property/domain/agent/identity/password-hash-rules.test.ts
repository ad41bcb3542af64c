import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPasswordHash, weakness } from '../../../../../src/domain/agent/identity/password-hash-rules.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';

const unpadded = (octets: Uint8Array): string => Buffer.from(octets).toString('base64').replace(/=+$/, '');

const octets = (least: number, most: number) => fc.uint8Array({ minLength: least, maxLength: most });
const number = fc.oneof(fc.nat({ max: 300_000 }), fc.nat({ max: 40 }), fc.maxSafeNat());

const argon2id = fc
  .record({ m: number, t: number, p: number, salt: octets(0, 60), digest: octets(0, 80) })
  .map((parts) => ({
    ...parts,
    text: `$argon2id$v=19$m=${parts.m},t=${parts.t},p=${parts.p}$${unpadded(parts.salt)}$${unpadded(parts.digest)}`,
  }));
const scrypt = fc
  .record({ ln: number, r: number, p: number, salt: octets(0, 60), digest: octets(0, 80) })
  .map((parts) => ({
    ...parts,
    text: `$scrypt$ln=${parts.ln},r=${parts.r},p=${parts.p}$${unpadded(parts.salt)}$${unpadded(parts.digest)}`,
  }));

describe('an accepted password hash', () => {
  it('never exceeds the argon2id cost limits', () => {
    fc.assert(
      fc.property(argon2id, ({ m, t, p, salt, digest, text }) => {
        const within =
          m <= 262_144 && m >= 8 * p && t >= 1 && t <= 20 && p >= 1 && p <= 16 && salt.length >= 8 && salt.length <= 48;
        expect(readPasswordHash(text).ok).toBe(within && digest.length >= 16 && digest.length <= 64);
      }),
      { numRuns: 500 },
    );
  });

  it('never exceeds the scrypt cost limits', () => {
    fc.assert(
      fc.property(scrypt, ({ ln, r, p, text }) => {
        if (!readPasswordHash(text).ok) return;
        expect(128 * 2 ** ln * r).toBeLessThanOrEqual(256 * 2 ** 20);
        expect(p).toBeGreaterThanOrEqual(1);
        expect(p).toBeLessThanOrEqual(16);
      }),
      { numRuns: 500 },
    );
  });
});

describe('reading a password hash', () => {
  const prefix = fc.constantFrom(
    '$argon2id$',
    '$argon2id$v=19$',
    '$scrypt$',
    '$2b$',
    '$2b$10$',
    '$argon2i$',
    '{SSHA}',
    '',
  );
  const tail = fc.oneof(
    fc.string({ maxLength: 80, unit: 'binary' }),
    fc.string({ maxLength: 80, unit: fc.constantFrom('$', ',', '=', 'm', 't', 'p', 'v', '1', '9', 'A', '.', '/') }),
  );

  it('returns a result for any text, and never includes the text', () => {
    const secretTail = fc.string({ minLength: 12, maxLength: 60, unit: fc.constantFrom('Q', 'Z', '7', '#', '$', 'é') });
    fc.assert(
      fc.property(prefix, fc.oneof(tail, secretTail), (before, after) => {
        const hash = readPasswordHash(before + after);
        if (after.length >= 12) expect(JSON.stringify(hash)).not.toContain(JSON.stringify(after).slice(1, -1));
        weakness({ kind: 'argon2id', text: new Secret(before + after) });
      }),
      { numRuns: 1_000 },
    );
  });
});
