/** What an answer may take. */
export interface DocumentLimits {
  /** Until the connection stands, TLS included. */
  readonly connectMs: number;
  /** From the beginning to the last octet of the answer. */
  readonly answerMs: number;
  readonly headOctets: number;
  readonly bodyOctets: number;
}

export const defaultKeySetLimits: DocumentLimits = {
  connectMs: 5_000,
  answerMs: 10_000,
  headOctets: 16 * 1024,
  bodyOctets: 512 * 1024,
};

/** Metadata of a federation is large, and nobody waits for it at a request. */
export const defaultMetadataLimits: DocumentLimits = {
  connectMs: 5_000,
  answerMs: 30_000,
  headOctets: 16 * 1024,
  bodyOctets: 4 * 1024 * 1024,
};
