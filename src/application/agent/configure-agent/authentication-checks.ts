import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-option-rules.js';
import type { Identity } from '../../../domain/agent/identity/identity.js';
import type { CredentialHeaders } from '../../../domain/agent/identity/request-credentials.js';
import { tokenPlaces } from '../../../domain/agent/identity/token-places.js';
import type { ReplayStore } from '../../ports/agent/replay-store.js';
import { ApiKeyCheck } from '../authenticate/api-key-check.js';
import type { AuthenticationCheck } from '../authenticate/authentication-check.js';
import { BasicCheck } from '../authenticate/basic-check.js';
import { CertificateBinding } from '../authenticate/certificate-binding.js';
import { DpopProofs } from '../authenticate/dpop-proofs.js';
import { IntrospectionCheck, type IntrospectionCheckOptions } from '../authenticate/introspection-check.js';
import { JwtCheck } from '../authenticate/jwt-check.js';
import { MtlsCheck } from '../authenticate/mtls-check.js';
import { OidcCheck } from '../authenticate/oidc-check.js';
import { IdentityPreparation, type PreparedIdentity } from '../authenticate/prepared-identity.js';
import { SessionCheck, type SessionChecks, type StepUpCheck } from '../authenticate/session-check.js';
import { VerifiedTokenCache } from '../authenticate/verified-token-cache.js';
import type { BearerTokens } from '../verify-tokens/bearer-tokens.js';
import { TokenReader } from '../verify-tokens/token-verdict.js';
import type { AgentProcessServices } from './agent-process-services.js';
import type { PreparedMethods } from './prepare-methods.js';

/** Cache budget in characters per token. Longer tokens reduce the number of entries. */
const charactersPerToken = 4_096;
/** Minimum budget, for a few large tokens. */
const leastCharacters = 8 * 1024 * 1024;

/** Whether a certificate is a credential, or may bind a token. */
const readsCertificates = ({ mtls, jwt, oidc }: CompleteAgentOptions): boolean =>
  mtls !== null || jwt !== null || oidc.length > 0;

/** The headers and cookies in which the configured methods expect credentials. */
export const credentialHeaders = (options: CompleteAgentOptions): CredentialHeaders => {
  const places = tokenPlaces(options.oidc);
  return { ...ownCredentialHeaders(options), ...(places.length > 0 && { tokenPlaces: places }) };
};

const ownCredentialHeaders = (options: CompleteAgentOptions): CredentialHeaders => ({
  apiKey: options.apiKeyHeader,
  certificate: readsCertificates(options) ? options.clientCertHeader : null,
  sessionCookieNames:
    options.sessions === null ? [] : [options.sessions.cookie.name, ...options.sessions.cookie.formerNames],
});

/** The check of opaque tokens, of the only provider with introspection; null: there is none. */
const introspectionCheck = (
  providers: CompleteAgentOptions['oidc'],
  { prepare, binding, proofs }: Pick<IntrospectionCheckOptions, 'prepare' | 'binding' | 'proofs'>,
  { digest, clock, logger, outcomes, oidc: { introspection: endpoint } }: AgentProcessServices,
): IntrospectionCheck | null => {
  const provider = providers.find((each) => each.introspection !== null);
  if (provider === undefined || provider.introspection === null) return null;
  const { introspection, requiredScopes } = provider;
  const parts = { digest, clock, logger, outcomes, endpoint, prepare, binding, proofs };
  const requiresProof = provider.requiredProof === 'dpop';
  return new IntrospectionCheck({ ...parts, introspection, rules: provider, requiredScopes, requiresProof });
};

/** The origins that DPoP proofs may name, as far as the configuration knows them. */
const proofOrigins = ({ oidcLogins, resources }: CompleteAgentOptions): ReadonlySet<string> =>
  new Set([...oidcLogins.flatMap(({ publicOrigins }) => publicOrigins), ...resources.map(({ origin }) => origin)]);

/** One check per configured method. */
export const authenticationChecks = (
  options: CompleteAgentOptions,
  { mtls }: Pick<PreparedMethods, 'mtls'>,
  { oidc, jwt }: BearerTokens,
  sessions: { readonly sessions: SessionChecks; readonly stepUp: StepUpCheck } | null,
  replays: Pick<ReplayStore, 'remember'>,
  services: AgentProcessServices,
): readonly AuthenticationCheck[] => {
  const { logger, digest, clock, fingerprints, passwords, keys, name } = services;
  const { apiKeys, basicUsers, tokenCacheSize } = options;
  const { userIdHeader: userId, authMethodHeader: authMethod, forwardClaims: forwardedClaims } = options;
  const names = { userId, authMethod, forwardedClaims };
  const preparation = new IdentityPreparation(names, options.maxClaimBytes, logger, clock, options.claimMapping);
  const prepare = (identity: Identity): PreparedIdentity => preparation.prepare(identity);
  // All methods share one cache: a cached token needs no further verification.
  const memory = new VerifiedTokenCache(clock, {
    maximumEntries: tokenCacheSize,
    maximumSize: Math.max(leastCharacters, tokenCacheSize * charactersPerToken),
  });
  const origins = proofOrigins(options);
  const proofs = new DpopProofs({ keys, digest, clock, replays, origins, agent: name ?? '' });
  const binding = new CertificateBinding(fingerprints);
  const bearer = { reader: new TokenReader(), prepare, memory, binding, proofs };
  const checks: AuthenticationCheck[] = [];
  if (mtls !== null) {
    checks.push(new MtlsCheck({ ...mtls, prepare, digest, clock, memorySize: tokenCacheSize }));
  }
  if (sessions !== null) {
    checks.push(new SessionCheck(sessions.sessions, sessions.stepUp, options.saml === null ? 'oidc' : 'saml'));
  }
  if (oidc !== null) {
    const introspection = introspectionCheck(options.oidc, bearer, services);
    checks.push(new OidcCheck({ tokens: oidc, ...bearer, ...(introspection !== null && { introspection }) }));
  }
  if (jwt !== null) checks.push(new JwtCheck({ tokens: jwt, ...bearer }));
  if (apiKeys.length > 0) checks.push(new ApiKeyCheck(apiKeys, prepare, digest));
  if (basicUsers.length > 0) checks.push(new BasicCheck(basicUsers, prepare, digest, passwords, clock));
  return checks;
};
