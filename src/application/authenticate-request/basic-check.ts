import type { BasicUser } from '../../domain/configuration/agent-configuration.js';
import type { Identity } from '../../domain/identity/identity.js';
import type { RequestCredentials } from '../../domain/identity/request-credentials.js';
import type { SecretDigest } from '../ports/secret-digest.js';
import {
  type AuthenticationCheck,
  absent,
  type CheckOutcome,
  failed,
  type PreparedIdentity,
} from './authentication-check.js';

interface KnownUser {
  readonly passwordDigest: string;
  readonly outcome: CheckOutcome;
}

/** HTTP Basic (RFC 7617). A user that does not exist costs the same comparison as one that does. */
export class BasicCheck implements AuthenticationCheck {
  readonly method = 'basic';
  readonly #digest: SecretDigest;
  readonly #users = new Map<string, KnownUser>();
  readonly #nobody: string;

  constructor(users: readonly BasicUser[], prepare: (identity: Identity) => PreparedIdentity, digest: SecretDigest) {
    this.#digest = digest;
    this.#nobody = digest.digest('');
    for (const { user, password } of users) {
      const prepared = prepare({ method: 'basic', userId: user, claims: null });
      const passwordDigest = digest.digest(password.reveal());
      this.#users.set(user, { passwordDigest, outcome: { kind: 'authenticated', prepared } });
    }
  }

  check({ authorization }: RequestCredentials): CheckOutcome {
    if (authorization?.scheme === 'malformed' && authorization.of === 'basic') return failed('malformed_credentials');
    if (authorization?.scheme !== 'basic') return absent;
    const known = this.#users.get(authorization.user);
    const shown = this.#digest.digest(authorization.password);
    const matches = this.#digest.equal(known?.passwordDigest ?? this.#nobody, shown);
    return known !== undefined && matches ? known.outcome : failed('unknown_credentials');
  }
}
