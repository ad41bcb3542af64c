/** Unpredictable values, from a cryptographic source. */
export interface Random {
  /** A version 4 UUID (RFC 9562). */
  uuid(): string;
  /** 256 bits, in base64url without padding: 43 characters. */
  token(): string;
  /** From 0, below 1. */
  fraction(): number;
  /** That many octets in lower-case hexadecimal, not all zero; 1 to 64 octets. */
  hex(octets: number): string;
}
