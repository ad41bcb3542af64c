import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExchangeTokenKind } from '../../../../../src/domain/agent/token-exchange/security-token.js';
import { signInput, tokenPart } from '../../../../support/agent/test-tokens.js';
import {
  corpIssuer,
  localIssuer,
  ownIssuer,
  ownKey,
  pairs,
  partnerIssuer,
  privatePem,
  tokenParties,
} from '../../../../support/agent/token-parties.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';

const own = await ownKey(privatePem(pairs.own.privateKey));
const now = new ManualClock().seconds();

const issuers = [ownIssuer, corpIssuer, partnerIssuer, localIssuer, 'https://nobody.example', undefined] as const;
const signers = Object.keys(pairs) as readonly (keyof typeof pairs)[];
const jwtKinds = ['access_token', 'jwt', 'id_token'] as const satisfies readonly ExchangeTokenKind[];

interface Made {
  readonly iss: string | undefined;
  readonly signer: keyof typeof pairs;
  readonly kid: string | undefined;
  readonly alg: string;
  readonly typ: string | undefined;
  readonly kind: (typeof jwtKinds)[number];
}

const madeTokens: fc.Arbitrary<Made> = fc.record({
  iss: fc.constantFrom(...issuers),
  signer: fc.constantFrom(...signers),
  kid: fc.constantFrom(own.kid, 'one', undefined, 'other'),
  alg: fc.oneof({ weight: 5, arbitrary: fc.constant('ES256') }, fc.constantFrom('none', 'HS256', 'RS256', 'ES384')),
  typ: fc.constantFrom('at+jwt', 'JWT', undefined, 'logout+jwt'),
  kind: fc.constantFrom(...jwtKinds),
});

const tokenOf = ({ iss, signer, kid, alg, typ }: Made): string => {
  const claims = { iss, sub: 'ann', aud: 'api', iat: now, exp: now + 300 };
  const input = `${tokenPart({ alg, kid, typ })}.${tokenPart(claims)}`;
  return `${input}.${signInput('ES256', pairs[signer].privateKey, input)}`;
};

/** Who would have to have signed it, by the words of the settings alone; null: nobody could. */
const inCharge = ({ iss, kid, typ, kind }: Made): keyof typeof pairs | null => {
  const isIdToken = kind === 'id_token';
  switch (iss) {
    case ownIssuer:
      if (isIdToken || kid !== own.kid) return null;
      return typ === 'at+jwt' || (typ === 'JWT' && kind === 'jwt') ? 'own' : null;
    case corpIssuer:
    case partnerIssuer:
      if (kid !== undefined && kid !== 'one') return null;
      if (typ === 'logout+jwt' || (isIdToken && typ === 'at+jwt')) return null;
      return iss === corpIssuer ? 'corp' : 'partner';
    case localIssuer:
      if (typ === 'logout+jwt' || (isIdToken && typ === 'at+jwt')) return null;
      return 'local';
    default:
      return null;
  }
};

describe('SecurityTokens', () => {
  it('accepts a token if and only if the authority for its claims signed it', async () => {
    const { verify } = await tokenParties();
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(madeTokens, async (made) => {
        const verified = await verify(tokenOf(made), made.kind);
        const isGood = made.alg === 'ES256' && inCharge(made) === made.signer;
        expect(verified.ok).toBe(isGood);
        if (!verified.ok) {
          expect(verified.error.kind).toBe('invalid');
          // A word of ours, and nothing of the token.
          expect(verified.error.detail).toMatch(/^(?:(?:own|oidc|jwt): )?[a-z_]+$/);
          return;
        }
        taken += 1;
        expect(verified.value).toMatchObject({ issuer: made.iss, isOwn: made.iss === ownIssuer, kind: made.kind });
      }),
      { numRuns: 600 },
    );
    expect(taken).toBeGreaterThan(0);
  });

  it('refuses a valid token of our own with any character changed', async () => {
    const { verify } = await tokenParties();
    const claims = JSON.stringify({ iss: ownIssuer, sub: 'ann', aud: 'api', iat: now, exp: now + 300 });
    const token = await own.sign('at+jwt', claims);
    expect(await verify(token)).toMatchObject({ ok: true });
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=';
    const changes = fc.record({ at: fc.nat(token.length - 1), to: fc.constantFrom(...alphabet) });
    await fc.assert(
      fc.asyncProperty(changes, async ({ at, to }) => {
        const changed = token.slice(0, at) + to + token.slice(at + 1);
        expect((await verify(changed)).ok).toBe(changed === token);
      }),
      { numRuns: 400 },
    );
  });
});
