import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Claims, claimsJson, SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';
import { parseClaims } from '../../../../../src/domain/agent/tokens/parse-claims.js';
import { sameClaim } from '../../../../../src/domain/agent/tokens/same-claim.js';
import { claimValue } from '../../../../support/agent/exchange-arbitraries.js';

const claims: fc.Arbitrary<Claims> = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom('__proto__', 'sub', '"', '\\')),
  claimValue,
  { maxKeys: 6 },
);

/** Whether there is a number in it that JSON.parse could not read back. */
const isExact = (value: unknown): boolean => {
  if (typeof value === 'bigint' || value instanceof SpelledNumber) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(isExact);
};

describe('claimsJson', () => {
  it('parses back to the same claims, digit for digit', () => {
    fc.assert(
      fc.property(claims, (some) => {
        const read = parseClaims(claimsJson(some));
        expect(read).toEqual(some);
        expect(read !== null && sameClaim(read, some)).toBe(true);
      }),
      { numRuns: 250 },
    );
  });

  it('is JSON to any reader', () => {
    fc.assert(
      fc.property(claims, (some) => {
        const read: unknown = JSON.parse(claimsJson(some));
        if (!isExact(some)) expect(read).toEqual(some);
      }),
      { numRuns: 250 },
    );
  });
});

describe('sameClaim', () => {
  it('equals comparing JSON texts, except for the order of members', () => {
    const near = fc.oneof(
      fc.tuple(claimValue, claimValue),
      claimValue.map((value) => [value, value] as const),
    );
    fc.assert(
      fc.property(near, ([one, other]) => {
        expect(sameClaim(one, other)).toBe(sameClaim(other, one));
        if (claimsJson({ it: one }) === claimsJson({ it: other })) expect(sameClaim(one, other)).toBe(true);
        else if (sameClaim(one, other)) expect(Object.keys(Object(one)).length).toBeGreaterThan(0);
      }),
      { numRuns: 250 },
    );
  });
});
