import type { PasswordAlgorithm } from '../../../domain/agent/identity/new-password.js';
import type { PasswordHash } from '../../../domain/agent/identity/password-hash.js';
import type { Result } from '../../../domain/shared/result.js';

/** Makes hashes of new passwords, each with a salt of its own. */
export interface PasswordHasher {
  /** With the cost that is advised for the algorithm. The error is one clause. Never rejects. */
  hash(password: string, algorithm: PasswordAlgorithm): Promise<Result<PasswordHash, string>>;
}
