import type { KeyObject } from 'node:crypto';
import { JoseTokenSigningKeys } from '../../../src/adapters/outbound/jose-tokens/jose-token-signing-keys.js';
import { JoseVerificationKeys } from '../../../src/adapters/outbound/jose-tokens/jose-verification-keys.js';
import { keysOfProvider } from '../../../src/application/agent/configure-agent/agent-key-sets.js';
import { SecurityTokens } from '../../../src/application/agent/exchange-token/security-tokens.js';
import { JwtTokens, type JwtTokensOptions } from '../../../src/application/agent/verify-tokens/jwt-tokens.js';
import { OwnTokens } from '../../../src/application/agent/verify-tokens/own-tokens.js';
import { type OidcProvider, ProviderTokens } from '../../../src/application/agent/verify-tokens/provider-tokens.js';
import type { PublishedKey, SigningKey } from '../../../src/application/ports/agent/token-signing-keys.js';
import type { Cancellation } from '../../../src/application/ports/shared/cancellation.js';
import type { OidcProviderOptions } from '../../../src/domain/agent/configuration/agent-configuration.js';
import type { ExchangeTokenKind } from '../../../src/domain/agent/token-exchange/security-token.js';
import type { SigningAlgorithm } from '../../../src/domain/agent/tokens/signature-algorithm.js';
import type { Result } from '../../../src/domain/shared/result.js';
import { Secret } from '../../../src/domain/shared/secret.js';
import { headersEvent } from '../shared/agent-events.js';
import { neverCancelled } from '../shared/never-cancelled.js';
import { testKeySets } from './test-key-sets.js';
import { ecPair, type KeyPair, publicJwk, publicPem } from './test-tokens.js';

export const ownIssuer = 'https://gateway.example';
export const corpIssuer = 'https://corp.example';
export const partnerIssuer = 'https://partner.example';
export const localIssuer = 'https://local.example';

const taken = <Value>(result: Result<Value, string>): Value => {
  if (!result.ok) throw new Error(result.error);
  return result.value;
};

export const privatePem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A key of our own; the text is PEM, or the secret for HS256. */
export const ownKey = async (text: string, algorithm: SigningAlgorithm = 'ES256'): Promise<SigningKey> =>
  taken(await new JoseTokenSigningKeys().readSigningKey(new Secret(text), algorithm));

interface Parties {
  /** Default: one of `pairs.own`. */
  readonly keys?: readonly PublishedKey[];
  readonly corp?: Partial<OidcProviderOptions>;
  readonly jwt?: Partial<JwtTokensOptions['rules']> | null;
  readonly hasProviders?: boolean;
}

/**
 * Key pairs of everyone who signs, and of one whom nobody knows. All are on one curve: the algorithm gives nobody
 * away.
 */
export const pairs = { own: ecPair(), corp: ecPair(), partner: ecPair(), local: ecPair(), stranger: ecPair() };

/**
 * What verifies tokens in an agent that issues some itself, knows the providers corp and partner, and a key, that of
 * local: real keys, and a clock that the test moves. Every audience is `api`. The kid of a provider's key is `one`.
 */
export const tokenParties = async ({ keys, corp = {}, jwt = {}, hasProviders = true }: Parties = {}) => {
  const made = testKeySets(new JoseVerificationKeys());
  const { clock, source, sets } = made;
  const provider = async (issuer: string, pair: KeyPair, more: Partial<OidcProviderOptions>): Promise<OidcProvider> => {
    source.publish({ ...publicJwk(pair.publicKey), kid: 'one' });
    const options: OidcProviderOptions = {
      name: null,
      enabled: true,
      issuer,
      jwksUrl: `${issuer}/keys`,
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
      ...more,
    };
    const set = sets.acquire(keysOfProvider(options), options.jwksRefreshMs).keys;
    await set.firstLoad();
    return { options, keys: set };
  };
  const providers = hasProviders
    ? [await provider(corpIssuer, pairs.corp, corp), await provider(partnerIssuer, pairs.partner, {})]
    : [];
  // Who asks again gets nothing new, least of all the keys of the other provider.
  source.goDown();
  const localKey = { algorithm: 'ES256', publicKeyPem: publicPem(pairs.local.publicKey) } as const;
  const verifier = taken(await new JoseVerificationKeys().prepare(localKey));
  const rules = { issuer: localIssuer, audiences: ['api'], clockSkewMs: 30_000, ...jwt };
  const own = new OwnTokens(ownIssuer, keys ?? [await ownKey(privatePem(pairs.own.privateKey))], clock);
  const tokens = new SecurityTokens({
    own,
    bearer: {
      oidc: providers.length === 0 ? null : new ProviderTokens(providers, clock),
      jwt: jwt === null ? null : new JwtTokens({ algorithm: 'ES256', rules, verifier, clock }),
    },
    saml: null,
  });
  const verify = (
    token: string,
    kind: ExchangeTokenKind = 'access_token',
    cancellation: Cancellation = neverCancelled,
  ) => tokens.verify({ kind, token }, headersEvent('call-1'), cancellation);
  /** `taken`, or why not. */
  const told = async (token: string, kind: ExchangeTokenKind = 'access_token'): Promise<string> => {
    const verified = await verify(token, kind);
    if (verified.ok) return 'taken';
    return verified.error.kind === 'invalid' ? verified.error.detail : verified.error.kind;
  };
  return { ...made, tokens, verify, told };
};
