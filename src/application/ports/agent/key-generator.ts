/** Makes new API keys. */
export interface KeyGenerator {
  /** 256 random bits as base64url: 43 characters. */
  newKey(): string;
}
