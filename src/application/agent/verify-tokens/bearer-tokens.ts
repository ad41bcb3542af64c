import type { JwtTokens } from './jwt-tokens.js';
import type { ProviderTokens } from './provider-tokens.js';

/** The verifiers of tokens that others issue; null for methods that are not configured. */
export interface BearerTokens {
  readonly oidc: ProviderTokens | null;
  readonly jwt: JwtTokens | null;
}
