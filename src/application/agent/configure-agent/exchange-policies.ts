import type {
  ExchangeClientOptions,
  TokenExchangeOptions,
} from '../../../domain/agent/configuration/token-exchange-options.js';
import type { ExchangePolicy } from '../../../domain/agent/token-exchange/exchange-policy.js';

const asSet = (values: readonly string[] | null): ReadonlySet<string> | null => values && new Set(values);

/** What a request gets that names no target may be named, too. */
const targets = (
  { issuer, defaultAudience }: TokenExchangeOptions,
  allowed: readonly string[] | null,
): ReadonlySet<string> | null => allowed && new Set([...allowed, defaultAudience ?? issuer]);

/** What anybody may have, where there are no clients. */
export const publicPolicy = (options: TokenExchangeOptions): ExchangePolicy => ({
  issuer: options.issuer,
  tokenTtlMs: options.tokenTtlMs,
  limitLifetimeToSubject: options.limitLifetimeToSubject,
  maximumActors: options.maximumActors,
  claimsCopied: options.claimsCopied,
  defaultAudience: options.defaultAudience,
  allowedExchanges: options.allowedExchanges,
  allowedAudiences: targets(options, options.allowedAudiences),
  allowedScopes: asSet(options.allowedScopes),
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
  allowedAudiences: targets(options, allowedAudiences),
  allowedScopes: asSet(allowedScopes),
  clientId: id,
  acceptedAudiences: new Set(subjectAudiences),
});
