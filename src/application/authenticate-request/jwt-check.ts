import type { JwtAlgorithm } from '../../domain/configuration/agent-configuration.js';
import type { Identity } from '../../domain/identity/identity.js';
import type { RequestCredentials } from '../../domain/identity/request-credentials.js';
import { maximumTokenLength, parseCompactJws } from '../../domain/tokens/compact-jws.js';
import { checkJwtClaims, checkWindow, type JwtClaimRules } from '../../domain/tokens/jwt-claim-rules.js';
import { checkJwtHeader } from '../../domain/tokens/jwt-header-rules.js';
import type { Clock } from '../ports/clock.js';
import type { SecretDigest } from '../ports/secret-digest.js';
import type { TokenVerifier } from '../ports/token-verifier.js';
import {
  type AuthenticationCheck,
  absent,
  type CheckOutcome,
  failed,
  type PreparedIdentity,
} from './authentication-check.js';
import { VerifiedTokenMemory } from './verified-token-memory.js';

export interface JwtCheckParts {
  readonly algorithm: JwtAlgorithm;
  readonly rules: JwtClaimRules;
  readonly verifier: TokenVerifier;
  readonly prepare: (identity: Identity) => PreparedIdentity;
  readonly digest: SecretDigest;
  readonly clock: Clock;
}

/** Bearer tokens signed with the configured key. Its memory ends with it, when another configuration is taken. */
export class JwtCheck implements AuthenticationCheck {
  readonly method = 'jwt';
  readonly #parts: JwtCheckParts;
  readonly #memory: VerifiedTokenMemory;

  constructor(parts: JwtCheckParts) {
    this.#parts = parts;
    this.#memory = new VerifiedTokenMemory(parts.clock);
  }

  check({ authorization }: RequestCredentials): CheckOutcome | Promise<CheckOutcome> {
    if (authorization?.scheme === 'malformed' && authorization.of === 'bearer') return failed('malformed');
    if (authorization?.scheme !== 'bearer') return absent;
    const { token } = authorization;
    if (token.length > maximumTokenLength) return failed('too_large');
    const digest = this.#parts.digest.digest(token);
    const remembered = this.#memory.find(digest);
    if (remembered === null) return this.#verify(token, digest);
    const untimely = checkWindow(remembered.window, this.#parts.clock.wallMs());
    if (untimely === null) return { kind: 'authenticated', prepared: remembered.prepared };
    this.#memory.forget(digest);
    return failed(untimely);
  }

  async #verify(token: string, digest: string): Promise<CheckOutcome> {
    const { algorithm, rules, verifier, prepare, clock } = this.#parts;
    const parsed = parseCompactJws(token);
    if (!parsed.ok) return failed(parsed.error);
    const { header, payload } = parsed.value;
    const unfit = checkJwtHeader(header, algorithm);
    if (unfit !== null) return failed(unfit);
    // Claims are judged only once the signature holds: nothing is said about a token that someone made up.
    if (!(await verifier.isSigned(token))) return failed('bad_signature');
    const accepted = checkJwtClaims(payload, rules, clock.wallMs());
    if (!accepted.ok) return failed(accepted.error);
    const { subject, window } = accepted.value;
    const prepared = prepare({ method: 'jwt', userId: subject, claims: payload });
    this.#memory.remember(digest, { prepared, window }, token.length);
    return { kind: 'authenticated', prepared };
  }
}
