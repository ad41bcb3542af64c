import type { PasswordAlgorithm } from '../../../domain/agent/identity/new-password.js';
import type { PasswordHash } from '../../../domain/agent/identity/password-hash-rules.js';
import type { Result } from '../../../domain/shared/result.js';

/** Hashes new passwords, each with a new salt. */
export interface PasswordHasher {
  /** Hashes with the recommended cost of the algorithm. The error is one clause. Never rejects. */
  hash(password: string, algorithm: PasswordAlgorithm): Promise<Result<PasswordHash, string>>;
}

/** Checks passwords against hashes, off the event loop. */
export interface PasswordVerifier {
  /**
   * Whether the password matches the hash. Takes the time that the cost of the hash demands. The
   * error, one clause, means that the check could not run, usually for lack of memory. Never
   * rejects.
   */
  matches(password: string, hash: PasswordHash): Promise<Result<boolean, string>>;
  /** Checks that this process can verify hashes of this kind. The error is one clause. */
  prepare(hash: PasswordHash): Promise<Result<void, string>>;
}
