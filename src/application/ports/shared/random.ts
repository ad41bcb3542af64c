/** Unpredictable values, from a cryptographic source. */
export interface Random {
  /** A version 4 UUID (RFC 9562). */
  uuid(): string;
  /** 256 bits, in base64url without padding: 43 characters. */
  token(): string;
  /** At least 0 and below 1. */
  fraction(): number;
  /** As many octets in lower-case hexadecimal; not all of them are zero. 1 to 64 octets. */
  hex(octets: number): string;
}
