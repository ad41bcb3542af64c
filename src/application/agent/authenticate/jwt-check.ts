import type { RequestCredentials } from '../../../domain/agent/identity/request-credentials.js';
import { maximumTokenLength } from '../../../domain/agent/tokens/compact-jws.js';
import type { ProvenRequest } from '../../../domain/agent/tokens/dpop-proof.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';
import type { JwtTokens } from '../verify-tokens/jwt-tokens.js';
import { rejected, type TokenReader } from '../verify-tokens/token-verdict.js';
import { type AuthenticationCheck, absent, type CheckOutcome, failedCheck } from './authentication-check.js';
import { type LocatedToken, recalled, type TokenOutcomeOptions, tokenOutcome } from './token-outcome.js';
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

  check(
    { authorization, certificate }: RequestCredentials,
    _cancellation?: Cancellation,
    request: ProvenRequest | null = null,
  ): MaybePromise<CheckOutcome> {
    if (authorization?.scheme === 'malformed' && authorization.of !== 'basic') return failedCheck('malformed');
    if (authorization?.scheme !== 'bearer' && authorization?.scheme !== 'dpop') return absent;
    const { scheme, token } = authorization;
    if (token.length > maximumTokenLength) return failedCheck('too_large');
    const shown: LocatedToken = { scheme, token, certificate, request };
    return recalled(shown, authorization, this.#parts) ?? this.#verify(shown);
  }

  #verify(shown: LocatedToken): MaybePromise<CheckOutcome> {
    const { tokens, reader } = this.#parts;
    const read = reader.read(shown.token);
    const verdict = read.ok ? tokens.verify(read.value, 'access') : rejected(read.error);
    return tokenOutcome(this.method, shown, verdict, this.#parts);
  }
}
