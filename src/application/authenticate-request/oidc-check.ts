import type { Identity } from '../../domain/identity/identity.js';
import type { RequestCredentials } from '../../domain/identity/request-credentials.js';
import { maximumTokenLength } from '../../domain/tokens/compact-jws.js';
import type { Cancellation } from '../ports/cancellation.js';
import type { ProviderTokens } from '../verify-tokens/provider-tokens.js';
import type { TokenReader } from '../verify-tokens/read-token.js';
import { type AuthenticationCheck, absent, type CheckOutcome, failed } from './authentication-check.js';
import type { PreparedIdentity } from './prepared-identity.js';
import { tokenOutcome } from './token-outcome.js';
import type { VerifiedTokenMemory } from './verified-token-memory.js';

export interface OidcCheckParts {
  readonly tokens: ProviderTokens;
  /** May be shared with other checks: then a token is taken apart once. */
  readonly reader: TokenReader;
  readonly prepare: (identity: Identity) => PreparedIdentity;
  /** May be shared with other checks, as long as it ends with the configuration that this check is of. */
  readonly memory: VerifiedTokenMemory;
}

/** Access tokens of OpenID Connect and OAuth 2.0 providers. */
export class OidcCheck implements AuthenticationCheck {
  readonly method = 'oidc';
  readonly known: VerifiedTokenMemory;
  readonly #parts: OidcCheckParts;

  constructor(parts: OidcCheckParts) {
    this.known = parts.memory;
    this.#parts = parts;
  }

  check({ authorization }: RequestCredentials, cancellation: Cancellation): CheckOutcome | Promise<CheckOutcome> {
    if (authorization?.scheme === 'malformed' && authorization.of === 'bearer') return failed('malformed');
    if (authorization?.scheme !== 'bearer') return absent;
    const { token } = authorization;
    if (token.length > maximumTokenLength) return failed('too_large');
    return this.known.recall(authorization) ?? this.#verify(token, cancellation);
  }

  #verify(token: string, cancellation: Cancellation): CheckOutcome | Promise<CheckOutcome> {
    const { tokens, reader } = this.#parts;
    const read = reader.read(token);
    if (!read.ok) return failed(read.error);
    const verdict = tokens.verify(read.value, cancellation, 'access');
    return verdict instanceof Promise
      ? verdict.then((late) => tokenOutcome(this.method, token, late, this.#parts))
      : tokenOutcome(this.method, token, verdict, this.#parts);
  }
}
