import type { RequestCredentials } from '../../../domain/agent/identity/request-credentials.js';
import { maximumTokenLength } from '../../../domain/agent/tokens/compact-jws.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { ProviderTokens } from '../verify-tokens/provider-tokens.js';
import type { TokenReader } from '../verify-tokens/token-verdict.js';
import { type AuthenticationCheck, absent, type CheckOutcome, failedCheck } from './authentication-check.js';
import { type PresentedBearer, recalled, type TokenOutcomeOptions, tokenOutcome } from './token-outcome.js';
import type { VerifiedTokenCache } from './verified-token-cache.js';

export interface OidcCheckOptions extends TokenOutcomeOptions {
  readonly tokens: ProviderTokens;
  /** Shared with other checks, so that a token is parsed once. */
  readonly reader: TokenReader;
}

/** Access tokens of OpenID Connect and OAuth 2.0 providers. */
export class OidcCheck implements AuthenticationCheck {
  readonly method = 'oidc';
  readonly known: VerifiedTokenCache;
  readonly #parts: OidcCheckOptions;

  constructor(parts: OidcCheckOptions) {
    this.known = parts.memory;
    this.#parts = parts;
  }

  check(
    { authorization, certificate }: RequestCredentials,
    cancellation: Cancellation,
  ): CheckOutcome | Promise<CheckOutcome> {
    if (authorization?.scheme === 'malformed' && authorization.of === 'bearer') return failedCheck('malformed');
    if (authorization?.scheme !== 'bearer') return absent;
    const { token } = authorization;
    if (token.length > maximumTokenLength) return failedCheck('too_large');
    return recalled(authorization, certificate, this.#parts) ?? this.#verify({ token, certificate }, cancellation);
  }

  #verify(shown: PresentedBearer, cancellation: Cancellation): CheckOutcome | Promise<CheckOutcome> {
    const { tokens, reader } = this.#parts;
    const read = reader.read(shown.token);
    if (!read.ok) return failedCheck(read.error);
    const verdict = tokens.verify(read.value, cancellation, 'access');
    return verdict instanceof Promise
      ? verdict.then((late) => tokenOutcome(this.method, shown, late, this.#parts))
      : tokenOutcome(this.method, shown, verdict, this.#parts);
  }
}
