import {
  newPasswordFault,
  type PasswordAlgorithm,
  userNameFault,
} from '../../../domain/agent/identity/new-password.js';
import { normalForm } from '../../../domain/agent/identity/password-hash-rules.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { PasswordHasher } from '../../ports/agent/password-verifier.js';

export interface NewPassword {
  readonly password: string;
  readonly algorithm: PasswordAlgorithm;
  /** Null: the hash alone is wanted. */
  readonly user: string | null;
}

/** Why there is no hash: what was asked for will not do, or this machine cannot do it. */
export interface HashingFailure {
  readonly kind: 'unfit' | 'unable';
  /** One clause, with nothing of the password. */
  readonly message: string;
}

/**
 * Hashes a password in its normal form, in which it will be compared. What comes of it is the hash, or with a user
 * the entry `<user>:<hash>`, for basic-auth-users.
 */
export const hashPassword = async (
  { password: typed, algorithm, user: named }: NewPassword,
  hasher: PasswordHasher,
): Promise<Result<string, HashingFailure>> => {
  const password = normalForm(typed);
  const user = named === null ? null : normalForm(named);
  const fault = (user === null ? null : userNameFault(user)) ?? newPasswordFault(password, algorithm);
  if (fault !== null) return err({ kind: 'unfit', message: fault });
  const hash = await hasher.hash(password, algorithm);
  if (!hash.ok) return err({ kind: 'unable', message: hash.error });
  const text = hash.value.text.reveal();
  return ok(user === null ? text : `${user}:${text}`);
};
