import type { RequestCredentials } from '../../../domain/agent/identity/request-credentials.js';
import { maximumTokenLength } from '../../../domain/agent/tokens/compact-jws.js';
import type { JwtTokens } from '../verify-tokens/jwt-tokens.js';
import { rejected, type TokenReader } from '../verify-tokens/token-verdict.js';
import { type AuthenticationCheck, absent, type CheckOutcome, failedCheck } from './authentication-check.js';
import { type PresentedBearer, recalled, type TokenOutcomeOptions, tokenOutcome } from './token-outcome.js';
import type { VerifiedTokenCache } from './verified-token-cache.js';

export interface JwtCheckOptions extends TokenOutcomeOptions {
  readonly tokens: JwtTokens;
  /** Shared with other checks, so that a token is parsed once. */
  readonly reader: TokenReader;
}

/** Bearer tokens signed with the configured key. */
export class JwtCheck implements AuthenticationCheck {
  readonly method = 'jwt';
  readonly known: VerifiedTokenCache;
  readonly #parts: JwtCheckOptions;

  constructor(parts: JwtCheckOptions) {
    this.known = parts.memory;
    this.#parts = parts;
  }

  check({ authorization, certificate }: RequestCredentials): CheckOutcome {
    if (authorization?.scheme === 'malformed' && authorization.of === 'bearer') return failedCheck('malformed');
    if (authorization?.scheme !== 'bearer') return absent;
    const { token } = authorization;
    if (token.length > maximumTokenLength) return failedCheck('too_large');
    return recalled(authorization, certificate, this.#parts) ?? this.#verify({ token, certificate });
  }

  #verify(shown: PresentedBearer): CheckOutcome {
    const { tokens, reader } = this.#parts;
    const read = reader.read(shown.token);
    const verdict = read.ok ? tokens.verify(read.value, 'access') : rejected(read.error);
    return tokenOutcome(this.method, shown, verdict, this.#parts);
  }
}
