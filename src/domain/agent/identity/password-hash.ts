import type { Secret } from '../../shared/secret.js';

/** A password as it is stored: a hash in the text form of its kind. */
export interface PasswordHash {
  readonly kind: 'bcrypt' | 'argon2id' | 'scrypt';
  /** `$2b$...` (bcrypt), `$argon2id$...` or `$scrypt$...` (PHC strings). */
  readonly text: Secret;
}
