import { describe, expect, it } from 'vitest';
import { keysOfProvider } from '../../../../../src/application/agent/configure-agent/agent-key-sets.js';
import { bearerTokens } from '../../../../../src/application/agent/configure-agent/prepare-agent.js';
import { type ReadToken, readToken } from '../../../../../src/application/agent/verify-tokens/token-verdict.js';
import type {
  JwtOptions,
  OidcProviderOptions,
} from '../../../../../src/domain/agent/configuration/agent-configuration.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { formedJwk, testKeySets } from '../../../../support/agent/test-key-sets.js';
import { signToken } from '../../../../support/agent/test-tokens.js';
import { neverCancelled } from '../../../../support/shared/never-cancelled.js';

const jwt: JwtOptions = {
  key: { algorithm: 'HS256', secret: new Secret('a secret that is longer than thirty-two bytes') },
  issuer: 'https://local.example',
  audience: 'api',
};
/** Whatever comes is signed: what is asked of the token is what the settings ask. */
const jwtVerifier = { isSigned: () => true };

const provider: OidcProviderOptions = {
  name: null,
  enabled: true,
  issuer: 'https://id.example',
  jwksUrl: 'https://id.example/keys',
  tokenHeader: null,
  tokenCookie: null,
  introspection: null,
  requiredProof: null,
  audiences: [],
  algorithms: null,
  tenants: [],
  requiredScopes: ['read'],
  jwksRefreshMs: 60_000,
  clockSkewMs: 0,
};

const read = (token: string): ReadToken => {
  const result = readToken(token);
  if (!result.ok) throw new Error(result.error);
  return result.value;
};

describe('bearerTokens', () => {
  it('returns nothing for methods that are not configured', () => {
    const { clock } = testKeySets();
    expect(bearerTokens({ jwt: null }, { jwtVerifier: null }, [], clock)).toEqual({ oidc: null, jwt: null });
  });

  it('verifies with the configured key, algorithm, issuer and audience', () => {
    const { clock } = testKeySets();
    const { jwt: tokens } = bearerTokens({ jwt }, { jwtVerifier }, [], clock);
    const claims = { iss: 'https://local.example', sub: 'ann', aud: 'api', exp: clock.seconds() - 29 };
    const verdict = (more: object = {}, header = {}) =>
      tokens?.verify(read(signToken('HS256', 'any', { ...claims, ...more }, header)), 'access');
    expect(verdict()).toMatchObject({ kind: 'verified', token: { subject: 'ann', key: null } });
    expect(verdict({ iss: 'https://other.example' })).toEqual({ kind: 'failed', reason: 'wrong_issuer' });
    expect(verdict({ aud: 'web' })).toEqual({ kind: 'failed', reason: 'wrong_audience' });
    expect(verdict({ exp: clock.seconds() - 30 })).toEqual({ kind: 'failed', reason: 'expired' });
    expect(verdict({}, { alg: 'RS256' })).toEqual({ kind: 'failed', reason: 'wrong_algorithm' });
  });

  it("verifies provider tokens by each provider's configuration, and reports the key", async () => {
    const { clock, source, sets } = testKeySets();
    source.publish(formedJwk('one'));
    const keys = sets.acquire(keysOfProvider(provider), provider.jwksRefreshMs).keys;
    await keys.firstLoad();
    const { oidc } = bearerTokens({ jwt: null }, { jwtVerifier: null }, [{ options: provider, keys }], clock);
    const verdict = (more: object) => {
      const claims = { iss: provider.issuer, sub: 'ann', exp: clock.seconds() + 1, ...more };
      const token = read(signToken('HS256', 'any', claims, { alg: 'ES256', kid: 'one' }));
      return oidc?.verify(token, neverCancelled, 'access');
    };
    expect(verdict({ scope: 'read' })).toMatchObject({ kind: 'verified', token: { key: keys.find('one', 'ES256') } });
    expect(verdict({})).toEqual({ kind: 'failed', reason: 'insufficient_scope', scope: 'read' });
    expect(verdict({ scope: 'read', exp: clock.seconds() })).toEqual({ kind: 'failed', reason: 'expired' });
  });
});
