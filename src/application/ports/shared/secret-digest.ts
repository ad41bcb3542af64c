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
