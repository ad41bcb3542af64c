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
  /** Null: only the hash is wanted. */
  readonly user: string | null;
}

/** Why hashing failed: the input is unfit, or this machine cannot hash. */
export interface HashingFailure {
  readonly kind: 'unfit' | 'unable';
  /** One clause without any part of the password. */
  readonly message: string;
}

/** Hashes the normalised form of a password for basic-auth-users. Returns the hash, or with a user `<user>:<hash>`. */
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
