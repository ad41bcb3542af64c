import type { Identity } from '../../domain/identity/identity.js';
import type { RequestCredentials } from '../../domain/identity/request-credentials.js';
import { maximumTokenLength } from '../../domain/tokens/compact-jws.js';
import type { JwtTokens } from '../verify-tokens/jwt-tokens.js';
import type { TokenReader } from '../verify-tokens/read-token.js';
import { rejected } from '../verify-tokens/token-verdict.js';
import { type AuthenticationCheck, absent, type CheckOutcome, failed } from './authentication-check.js';
import type { PreparedIdentity } from './prepared-identity.js';
import { tokenOutcome } from './token-outcome.js';
import type { VerifiedTokenMemory } from './verified-token-memory.js';

export interface JwtCheckParts {
  readonly tokens: JwtTokens;
  /** May be shared with other checks: then a token is taken apart once. */
  readonly reader: TokenReader;
  readonly prepare: (identity: Identity) => PreparedIdentity;
  /** May be shared with other checks, as long as it ends with the configuration that this check is of. */
  readonly memory: VerifiedTokenMemory;
}

/** Bearer tokens signed with the configured key. */
export class JwtCheck implements AuthenticationCheck {
  readonly method = 'jwt';
  readonly known: VerifiedTokenMemory;
  readonly #parts: JwtCheckParts;

  constructor(parts: JwtCheckParts) {
    this.known = parts.memory;
    this.#parts = parts;
  }

  check({ authorization }: RequestCredentials): CheckOutcome {
    if (authorization?.scheme === 'malformed' && authorization.of === 'bearer') return failed('malformed');
    if (authorization?.scheme !== 'bearer') return absent;
    const { token } = authorization;
    if (token.length > maximumTokenLength) return failed('too_large');
    return this.known.recall(authorization) ?? this.#verify(token);
  }

  #verify(token: string): CheckOutcome {
    const { tokens, reader } = this.#parts;
    const read = reader.read(token);
    const verdict = read.ok ? tokens.verify(read.value, 'access') : rejected(read.error);
    return tokenOutcome(this.method, token, verdict, this.#parts);
  }
}
