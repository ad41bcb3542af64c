import { describe, expect, it } from 'vitest';
import { nodeCertificateFingerprints } from '../../../../../src/adapters/outbound/x509-certificates/certificate-fingerprints.js';
import { CertificateBinding } from '../../../../../src/application/agent/authenticate/certificate-binding.js';
import { JwtCheck } from '../../../../../src/application/agent/authenticate/jwt-check.js';
import { OidcCheck } from '../../../../../src/application/agent/authenticate/oidc-check.js';
import { preparedIdentity } from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import { VerifiedTokenCache } from '../../../../../src/application/agent/authenticate/verified-token-cache.js';
import { SecurityTokens } from '../../../../../src/application/agent/exchange-token/security-tokens.js';
import type { ProviderKey } from '../../../../../src/application/agent/keys/provider-key.js';
import { JwtTokens } from '../../../../../src/application/agent/verify-tokens/jwt-tokens.js';
import { OwnTokens } from '../../../../../src/application/agent/verify-tokens/own-tokens.js';
import { ProviderTokens } from '../../../../../src/application/agent/verify-tokens/provider-tokens.js';
import { readToken, TokenReader } from '../../../../../src/application/agent/verify-tokens/token-verdict.js';
import type { Identity } from '../../../../../src/domain/agent/identity/identity.js';
import { charactersLookedAt } from '../../../../support/agent/counted-work.js';
import { keysAt } from '../../../../support/agent/fake-key-set-source.js';
import { testKeySets } from '../../../../support/agent/test-key-sets.js';
import { ecPair, publicJwk, signToken } from '../../../../support/agent/test-tokens.js';
import { headersEvent } from '../../../../support/shared/agent-events.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const [ownIssuer, corpIssuer, localIssuer] = ['https://own.example', 'https://corp.example', 'https://local.example'];
const clock = new ManualClock();
const now = clock.seconds();
const pair = ecPair();
/** Looks at no character of the token: what is counted is the rest. */
const verifier = { isSigned: () => true };

const tokenOf = (iss: string): string => {
  const groups = Array.from({ length: 200 }, (_, index) => `group-${index}`);
  const claims = { iss, sub: 'ann', aud: 'api', iat: now, exp: now + 300, groups };
  return signToken('ES256', pair.privateKey, claims, { kid: 'one', typ: 'at+jwt' });
};

const providers = async (): Promise<ProviderTokens> => {
  const { source, sets, clock: keyClock } = testKeySets({ prepare: async () => ({ ok: true, value: verifier }) });
  source.publish({ ...publicJwk(pair.publicKey), kid: 'one' });
  const keys = sets.acquire(keysAt(`${corpIssuer}/keys`), 3_600_000).keys;
  await keys.firstLoad();
  const key: ProviderKey | null = keys.find('one', 'ES256');
  if (key === null) throw new Error('the key set has no key');
  const options = {
    name: null,
    enabled: true,
    issuer: corpIssuer,
    jwksUrl: `${corpIssuer}/keys`,
    tokenHeader: null,
    tokenCookie: null,
    introspection: null,
    requiredProof: null,
    audiences: ['api'],
    algorithms: null,
    tenants: [],
    requiredScopes: [],
    jwksRefreshMs: 3_600_000,
    clockSkewMs: 30_000,
  };
  return new ProviderTokens([{ options, keys }], keyClock);
};

const localTokens = new JwtTokens({
  algorithm: 'ES256',
  rules: { issuer: localIssuer, audiences: ['api'], clockSkewMs: 30_000 },
  verifier,
  clock,
});

/** Reading twice would be twice as much; checking what was read is a little. */
const littleMoreThanReading = (token: string): number => charactersLookedAt(() => void readToken(token)) * 1.2;

describe('a token is parsed once', () => {
  it('by a shared reader, whose cached result belongs only to that token', () => {
    const reader = new TokenReader();
    const token = tokenOf(corpIssuer);
    const read = reader.read(token);
    expect(read).toMatchObject({ ok: true, value: { token, payload: { iss: corpIssuer } } });
    expect(reader.read(token)).toBe(read);
    expect(reader.read(tokenOf(localIssuer))).toMatchObject({ value: { payload: { iss: localIssuer } } });
    expect(reader.read('opaque')).toEqual({ ok: false, error: 'malformed' });
    expect(reader.read(token)).toEqual(read);
  });

  it.each([
    ['our own', ownIssuer],
    ['of a provider', corpIssuer],
    ['under the configured key', localIssuer],
  ])('at the token endpoint: %s', async (_, iss) => {
    const token = tokenOf(iss);
    const tokens = new SecurityTokens({
      own: new OwnTokens(ownIssuer, [{ kid: 'one', algorithm: 'ES256', publicJwk: null, verifier }], clock),
      bearer: iss === corpIssuer ? { oidc: await providers(), jwt: null } : { oidc: null, jwt: localTokens },
      saml: null,
    });
    let verified: ReturnType<SecurityTokens['verify']> | null = null;
    const event = headersEvent('call-1');
    const count = charactersLookedAt(() => {
      verified = tokens.verify({ kind: 'access_token', token }, event, neverCancelled);
    });
    expect(await verified).toMatchObject({ ok: true, value: { subject: 'ann', expiresMs: (now + 300) * 1000 } });
    expect(count).toBeLessThan(littleMoreThanReading(token));
  });

  it('as a bearer token, by both methods together', async () => {
    const token = tokenOf(localIssuer);
    const memory = new VerifiedTokenCache(clock, { maximumEntries: 0, maximumSize: 0 });
    const shared = {
      reader: new TokenReader(),
      prepare: (identity: Identity) => preparedIdentity(identity, []),
      memory,
      binding: new CertificateBinding(nodeCertificateFingerprints),
      proofs: { refusal: async () => null },
    };
    const checks = [
      new OidcCheck({ ...shared, tokens: await providers() }),
      new JwtCheck({ ...shared, tokens: localTokens }),
    ];
    const credentials = {
      authorization: { scheme: 'bearer', token },
      apiKey: null,
      certificate: null,
      sessionCookies: [],
    } as const;
    const outcomes: unknown[] = [];
    const count = charactersLookedAt(() => {
      for (const check of checks) outcomes.push(check.check(credentials, neverCancelled));
    });
    expect(outcomes).toMatchObject([{ kind: 'failed', reason: 'unknown_issuer' }, { kind: 'authenticated' }]);
    expect(count).toBeLessThan(littleMoreThanReading(token));
  });
});
