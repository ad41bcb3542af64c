import type { JwtAlgorithm } from '../../domain/configuration/agent-configuration.js';
import type { Identity } from '../../domain/identity/identity.js';
import type { RequestCredentials } from '../../domain/identity/request-credentials.js';
import { maximumTokenLength, parseCompactJws } from '../../domain/tokens/compact-jws.js';
import { checkJwtClaims, type JwtClaimRules } from '../../domain/tokens/jwt-claim-rules.js';
import { checkJwtHeader } from '../../domain/tokens/jwt-header-rules.js';
import type { Clock } from '../ports/clock.js';
import type { TokenVerifier } from '../ports/token-verifier.js';
import {
  type AuthenticationCheck,
  absent,
  type CheckOutcome,
  failed,
  type PreparedIdentity,
} from './authentication-check.js';
import type { VerifiedTokenMemory } from './verified-token-memory.js';

export interface JwtCheckParts {
  readonly algorithm: JwtAlgorithm;
  readonly rules: JwtClaimRules;
  readonly verifier: TokenVerifier;
  readonly prepare: (identity: Identity) => PreparedIdentity;
  /** May be shared with other checks, as long as it ends with the configuration that this check is of. */
  readonly memory: VerifiedTokenMemory;
  readonly clock: Clock;
}

/** Bearer tokens signed with the configured key. */
export class JwtCheck implements AuthenticationCheck {
  readonly method = 'jwt';
  readonly #parts: JwtCheckParts;

  constructor(parts: JwtCheckParts) {
    this.#parts = parts;
  }

  check({ authorization }: RequestCredentials): CheckOutcome {
    if (authorization?.scheme === 'malformed' && authorization.of === 'bearer') return failed('malformed');
    if (authorization?.scheme !== 'bearer') return absent;
    const { token } = authorization;
    if (token.length > maximumTokenLength) return failed('too_large');
    return this.#parts.memory.recall(token) ?? this.#verify(token);
  }

  #verify(token: string): CheckOutcome {
    const { algorithm, rules, verifier, prepare, memory, clock } = this.#parts;
    const parsed = parseCompactJws(token);
    if (!parsed.ok) return failed(parsed.error);
    const { header, payload } = parsed.value;
    const unfit = checkJwtHeader(header, algorithm);
    if (unfit !== null) return failed(unfit);
    // Claims are judged only once the signature holds: nothing is said about a token that someone made up.
    if (!verifier.isSigned(token)) return failed('bad_signature');
    const accepted = checkJwtClaims(payload, rules, clock.wallMs());
    if (!accepted.ok) return failed(accepted.error);
    const { subject, window } = accepted.value;
    const prepared = prepare({ method: 'jwt', userId: subject, claims: payload, certificate: null });
    memory.remember(token, { prepared, window, key: null });
    return { kind: 'authenticated', prepared };
  }
}
