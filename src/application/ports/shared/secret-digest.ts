import type { Secret } from '../../../domain/shared/secret.js';

/**
 * Whether a client sent the secret, in a time that reveals neither position nor length of a
 * difference. `given` is a byte string like header values: each character is one octet of the
 * secret's UTF-8.
 */
export type SecretComparer = (given: string, secret: Secret) => boolean;

/**
 * Digests of secrets, all of one length, keyed by a random key of this process. Lookups and
 * comparisons of digests reveal nothing about the secrets by their time.
 */
export interface SecretDigest {
  digest(text: string): string;
  /** Compares two digests in constant time. */
  equal(first: string, second: string): boolean;
  /** SHA-256 of the text in UTF-8, in lower-case hexadecimal; not keyed. */
  sha256Hex(text: string): string;
}
