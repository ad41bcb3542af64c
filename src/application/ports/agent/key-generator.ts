/** Generates API keys. */
export interface KeyGenerator {
  /** 256 random bits in base64url: 43 characters. */
  newKey(): string;
}
