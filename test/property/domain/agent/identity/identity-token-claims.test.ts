import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identityTokenPayload, stateIdentity } from '../../../../../src/domain/agent/identity/identity-token-claims.js';
import { maximumPayloadLength } from '../../../../../src/domain/agent/token-exchange/issued-claims.js';
import type { Claims } from '../../../../../src/domain/agent/tokens/claims.js';

const issuer = 'https://gw.example';
const names = [
  'roles',
  'groups',
  'email',
  'name',
  'acr',
  'scope',
  'client_id',
  'iss',
  'sub',
  'aud',
  'exp',
  '__proto__',
];
const value = fc.oneof(
  fc.string({ maxLength: 4_000, size: 'max' }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string({ maxLength: 500 }), { maxLength: 30 }),
  fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
);
const claims = fc
  .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 12 })
  .map((entries): Claims => Object.fromEntries(entries));

describe('the claims of an identity token', () => {
  it('are bounded and state exactly this identity, for any claims of the credential', () => {
    fc.assert(
      fc.property(
        claims,
        fc.string({ minLength: 1, maxLength: 256 }),
        fc.integer({ min: 1, max: 16_384 }),
        (some, userId, maxClaimBytes) => {
          const stated = stateIdentity(
            { method: 'oidc', userId, claims: some, certificate: null },
            { issuer, forwardedClaims: null, maxClaimBytes },
          );
          const text = identityTokenPayload(stated, {
            issuer,
            audience: 'back',
            jti: 'id',
            issuedAtSecs: 1_000,
            lifetimeSecs: 60,
          });
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maximumPayloadLength);
          const payload = JSON.parse(text) as Record<string, unknown>;
          expect(payload).toMatchObject({ iss: issuer, sub: userId, aud: 'back', iat: 1_000, exp: 1_060, jti: 'id' });
          expect(typeof payload['client_id']).toBe('string');
        },
      ),
      { numRuns: 300 },
    );
  });
});
