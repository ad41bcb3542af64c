import type { JwtTokens } from './jwt-tokens.js';
import type { ProviderTokens } from './provider-tokens.js';

/** What verifies the tokens of others; null for a method that is not configured. */
export interface BearerTokens {
  readonly oidc: ProviderTokens | null;
  readonly jwt: JwtTokens | null;
}
