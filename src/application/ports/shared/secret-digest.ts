import type { Secret } from '../../../domain/shared/secret.js';

/**
 * Whether what a client sent is a secret, in a time that tells nothing about where, or in what length, they differ.
 * `given` is a byte string, as header values are: each character is one octet of the secret's UTF-8.
 */
export type SecretComparer = (given: string, secret: Secret) => boolean;

/**
 * Digests of secrets, all of one length, under a key that only this process has. They can be looked up and compared
 * without the time it takes telling anything about the secret.
 */
export interface SecretDigest {
  digest(text: string): string;
  /** Compares two digests in a time that does not depend on them. */
  equal(first: string, second: string): boolean;
  /** SHA-256 of the text in UTF-8, in lower-case hexadecimal: under no key, the same for everybody. */
  sha256Hex(text: string): string;
}
