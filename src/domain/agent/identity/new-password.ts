import { utf8ByteString } from '../../shared/byte-string.js';
import { isWellFormed } from '../../shared/utf8.js';
import { bcryptPasswordOctets } from './bcrypt-hash.js';
import type { PasswordHash } from './password-hash-rules.js';

/** Password hash algorithms, the recommended one first. */
export const passwordAlgorithms = ['argon2id', 'bcrypt', 'scrypt'] as const satisfies readonly PasswordHash['kind'][];
export type PasswordAlgorithm = (typeof passwordAlgorithms)[number];

/**
 * Costs of new hashes, from OWASP's password storage cheat sheet. On one core a check takes tens of milliseconds with
 * argon2id (19 MiB), and hundreds with bcrypt and with scrypt (128 MiB).
 */
export const newHashCosts = {
  argon2id: { memoryKib: 19_456, passes: 2, lanes: 1 },
  bcrypt: { cost: 12 },
  scrypt: { logN: 17, r: 8, p: 1 },
} as const;

/** Longer than anyone types, and close to the limit of a header field. */
const mostOctets = 1024;
/** A client cannot send these (RFC 7617, section 2). */
const control = /[\x00-\x1f\x7f]/;

/** Why a password cannot be used; null if it can. */
export const newPasswordFault = (password: string, algorithm: PasswordAlgorithm): string | null => {
  if (password === '') return 'the password is empty';
  if (control.test(password) || !isWellFormed(password)) return 'the password has control characters or broken ones';
  const octets = utf8ByteString(password).length;
  if (algorithm === 'bcrypt' && octets > bcryptPasswordOctets) {
    return `bcrypt accepts at most ${bcryptPasswordOctets} bytes; use argon2id for longer passwords`;
  }
  return octets > mostOctets ? `the password is longer than ${mostOctets} bytes` : null;
};

/** Why an entry `<user>:<password>` cannot have this user; null if it can. */
export const userNameFault = (user: string): string | null => {
  if (user === '') return 'the user name is empty';
  if (user.includes(':')) return 'a user name must not contain a colon: an entry splits at its first one';
  if (control.test(user) || !isWellFormed(user)) return 'the user name has control characters or broken ones';
  if (user.trimStart() !== user) return 'the user name begins with white space, which a list would drop';
  return /^[@#]/.test(user) ? `the user name begins with ${user.charAt(0)}, which has another meaning in a list` : null;
};
