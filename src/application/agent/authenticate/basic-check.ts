import type { BasicUser } from '../../../domain/agent/configuration/agent-configuration.js';
import type { Identity } from '../../../domain/agent/identity/identity.js';
import { decoyHash, type PasswordHash } from '../../../domain/agent/identity/password-hash-rules.js';
import type { RequestCredentials } from '../../../domain/agent/identity/request-credentials.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { SecretDigest } from '../../ports/shared/secret-digest.js';
import {
  type AuthenticationCheck,
  absent,
  type CheckOutcome,
  cancelled,
  failedCheck,
  type SharedVerdict,
  undecided,
} from './authentication-check.js';
import type { PasswordChecks } from './password-checks.js';
import { PasswordVerificationCache } from './password-verification-cache.js';
import type { PreparedIdentity } from './prepared-identity.js';

interface KnownUser {
  /** Null if the password is stored as a hash. */
  readonly passwordDigest: string | null;
  readonly outcome: CheckOutcome;
}

const outcomeOf = (verdict: SharedVerdict, known: KnownUser | undefined): CheckOutcome => {
  if (verdict === 'cancelled') return cancelled;
  if (verdict === 'overloaded') return undecided('overloaded');
  return verdict === 'match' && known !== undefined ? known.outcome : failedCheck('unknown_credentials');
};

/**
 * HTTP Basic (RFC 7617). An unknown user costs as much time as a known one: the same comparison, and a hash check if
 * any password is hashed.
 */
export class BasicCheck implements AuthenticationCheck {
  readonly method = 'basic';
  readonly #digest: SecretDigest;
  readonly #users = new Map<string, KnownUser>();
  /** Null if no password is hashed: every check is then synchronous. */
  readonly #hashed: PasswordVerificationCache | null;
  readonly #nobody: string;

  constructor(
    users: readonly BasicUser[],
    prepare: (identity: Identity) => PreparedIdentity,
    digest: SecretDigest,
    passwords: PasswordChecks,
    clock: Clock,
  ) {
    this.#digest = digest;
    this.#nobody = digest.digest('');
    const hashes = new Map<string, PasswordHash>();
    for (const { user, password } of users) {
      const prepared = prepare({ method: 'basic', userId: user, claims: null, certificate: null });
      const passwordDigest = password.kind === 'plain' ? digest.digest(password.text.reveal()) : null;
      if (password.kind !== 'plain') hashes.set(user, password);
      this.#users.set(user, { passwordDigest, outcome: { kind: 'authenticated', prepared } });
    }
    const decoy = decoyHash([...hashes.values()]);
    this.#hashed = decoy === null ? null : new PasswordVerificationCache({ hashes, decoy, passwords, digest, clock });
  }

  check({ authorization }: RequestCredentials, cancellation: Cancellation): CheckOutcome | Promise<CheckOutcome> {
    if (authorization?.scheme === 'malformed' && authorization.of === 'basic')
      return failedCheck('malformed_credentials');
    if (authorization?.scheme !== 'basic') return absent;
    const { user, password } = authorization;
    const known = this.#users.get(user);
    const shown = this.#digest.digest(password);
    const matches = this.#digest.equal(known?.passwordDigest ?? this.#nobody, shown);
    if (known !== undefined && known.passwordDigest !== null && matches) return known.outcome;
    if (this.#hashed === null) return failedCheck('unknown_credentials');
    const verdict = this.#hashed.check(user, password, cancellation);
    return typeof verdict === 'string' ? outcomeOf(verdict, known) : verdict.then((late) => outcomeOf(late, known));
  }
}
