import type { PasswordAlgorithm } from '../../../domain/agent/identity/new-password.js';
import type { PasswordHash } from '../../../domain/agent/identity/password-hash-rules.js';
import type { Result } from '../../../domain/shared/result.js';

/** Makes hashes of new passwords, each with a salt of its own. */
export interface PasswordHasher {
  /** With the cost that is advised for the algorithm. The error is one clause. Never rejects. */
  hash(password: string, algorithm: PasswordAlgorithm): Promise<Result<PasswordHash, string>>;
}

/** Checks passwords against hashes, off the event loop. */
export interface PasswordVerifier {
  /**
   * Whether the password is the hash's. Takes as long as the hash was made to take. The error, one clause, says that the
   * check could not be made, for want of memory above all. Never rejects.
   */
  matches(password: string, hash: PasswordHash): Promise<Result<boolean, string>>;
  /** Makes sure that hashes of this kind can be checked here. The error is one clause. */
  prepare(hash: PasswordHash): Promise<Result<void, string>>;
}
