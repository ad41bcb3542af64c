import type { PasswordHash } from '../../../domain/agent/identity/password-hash.js';
import type { Result } from '../../../domain/shared/result.js';

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
