import { utf8ByteString } from '../../shared/byte-string.js';
import { isWellFormed } from '../../shared/utf8.js';
import { bcryptPasswordOctets } from './bcrypt-hash.js';
import type { PasswordHash } from './password-hash-rules.js';

/** Ways to hash a password, the one to choose first. */
export const passwordAlgorithms = ['argon2id', 'bcrypt', 'scrypt'] as const satisfies readonly PasswordHash['kind'][];
export type PasswordAlgorithm = (typeof passwordAlgorithms)[number];

/**
 * What a new hash costs, by OWASP's password storage cheat sheet. A check takes some ten milliseconds of one core with
 * argon2id (19 MiB), some hundreds with bcrypt, and with scrypt (128 MiB).
 */
export const newHashCosts = {
  argon2id: { memoryKib: 19_456, passes: 2, lanes: 1 },
  bcrypt: { cost: 12 },
  scrypt: { logN: 17, r: 8, p: 1 },
} as const;

/** No one types a longer one, and no header field has room for much more. */
const mostOctets = 1024;
/** A client cannot send these (RFC 7617, section 2). */
const control = /[\x00-\x1f\x7f]/;

/** Why a password cannot be used; null where it can. */
export const newPasswordFault = (password: string, algorithm: PasswordAlgorithm): string | null => {
  if (password === '') return 'the password is empty';
  if (control.test(password) || !isWellFormed(password)) return 'the password has control characters or broken ones';
  const octets = utf8ByteString(password).length;
  if (algorithm === 'bcrypt' && octets > bcryptPasswordOctets) {
    return `bcrypt takes ${bcryptPasswordOctets} bytes of a password at most; argon2id takes longer ones`;
  }
  return octets > mostOctets ? `the password is longer than ${mostOctets} bytes` : null;
};

/** Why no entry `<user>:<password>` can have this user; null where one can. */
export const userNameFault = (user: string): string | null => {
  if (user === '') return 'the user name is empty';
  if (user.includes(':')) return 'a user name has no colon: an entry splits at its first one';
  if (control.test(user) || !isWellFormed(user)) return 'the user name has control characters or broken ones';
  if (user.trimStart() !== user) return 'the user name begins with white space, which a list would drop';
  return /^[@#]/.test(user)
    ? `the user name begins with ${user.charAt(0)}, which means something else in a list`
    : null;
};
