import type { ExchangeClientOptions, TokenExchangeOptions } from '../../domain/configuration/token-exchange-options.js';
import type { ExchangePolicy } from '../../domain/token-exchange/exchange-policy.js';

/** What anybody may have, where there are no clients. */
export const publicPolicy = (options: TokenExchangeOptions): ExchangePolicy => ({
  issuer: options.issuer,
  tokenTtlMs: options.tokenTtlMs,
  limitLifetimeToSubject: options.limitLifetimeToSubject,
  maximumActors: options.maximumActors,
  claimsCopied: options.claimsCopied,
  defaultAudience: options.defaultAudience,
  allowedExchanges: options.allowedExchanges,
  allowedAudiences: options.allowedAudiences,
  allowedScopes: options.allowedScopes,
  clientId: null,
  acceptedAudiences: null,
});

/** What one client may have. */
export const clientPolicy = (
  options: TokenExchangeOptions,
  { id, allowedExchanges, allowedAudiences, allowedScopes, subjectAudiences }: ExchangeClientOptions,
): ExchangePolicy => ({
  ...publicPolicy(options),
  allowedExchanges,
  allowedAudiences,
  allowedScopes,
  clientId: id,
  acceptedAudiences: subjectAudiences,
});
