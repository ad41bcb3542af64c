import type { VerifiedExchange } from '../../../src/domain/agent/token-exchange/decide-exchange.js';
import type { ExchangePolicy } from '../../../src/domain/agent/token-exchange/exchange-policy.js';
import type { ExchangeRequest } from '../../../src/domain/agent/token-exchange/read-exchange-request.js';
import type { SecurityToken } from '../../../src/domain/agent/token-exchange/security-token.js';
import type { Claims } from '../../../src/domain/agent/tokens/claims.js';

export const ownIssuer = 'https://gateway.example';
export const foreignIssuer = 'https://login.example';
export const exchangeNowMs = 1_800_000_000_250;
export const inAnHourMs = 1_800_003_600_000;

/** Everything is allowed that a policy can allow, and an hour. */
export const openPolicy = (changes: Partial<ExchangePolicy> = {}): ExchangePolicy => ({
  issuer: ownIssuer,
  tokenTtlMs: 3_600_000,
  limitLifetimeToSubject: false,
  maximumActors: 4,
  claimsCopied: ['roles', 'email'],
  defaultAudience: null,
  allowedExchanges: [
    { subjectKind: 'access_token', issuedKind: 'access_token' },
    { subjectKind: 'jwt', issuedKind: 'jwt' },
    { subjectKind: 'jwt', issuedKind: 'access_token' },
    { subjectKind: 'saml2', issuedKind: 'access_token' },
  ],
  allowedAudiences: null,
  allowedScopes: null,
  clientId: null,
  acceptedAudiences: null,
  ...changes,
});

export const exchangeRequest = (changes: Partial<ExchangeRequest> = {}): ExchangeRequest => ({
  subject: { kind: 'access_token', token: 'subject' },
  actor: null,
  requestedKind: null,
  audiences: [],
  resources: [],
  scopes: null,
  ...changes,
});

/** A token of another issuer, of ann, for two hours from `exchangeNowMs`. */
export const verifiedToken = (claims: Claims = {}, changes: Partial<SecurityToken> = {}): SecurityToken => ({
  kind: 'access_token',
  issuer: foreignIssuer,
  subject: 'ann',
  claims: { iss: foreignIssuer, sub: 'ann', ...claims },
  expiresMs: exchangeNowMs + 7_200_000,
  isOwn: false,
  isTypedForAccess: false,
  oneTime: null,
  ...changes,
});

/** A token of the issuer itself, for an hour at most. */
export const ownToken = (claims: Claims = {}, changes: Partial<SecurityToken> = {}): SecurityToken =>
  verifiedToken({ iss: ownIssuer, ...claims }, { issuer: ownIssuer, isOwn: true, expiresMs: inAnHourMs, ...changes });

export const askedExchange = (changes: Partial<VerifiedExchange> = {}): VerifiedExchange => ({
  request: exchangeRequest(),
  subject: verifiedToken(),
  actor: null,
  policy: openPolicy(),
  nowMs: exchangeNowMs,
  jti: 'the-jti',
  ...changes,
});
