/** What an answer may take. */
export interface KeySetLimits {
  /** Until the connection stands, TLS included. */
  readonly connectMs: number;
  /** From the beginning to the last octet of the answer. */
  readonly answerMs: number;
  readonly headOctets: number;
  readonly bodyOctets: number;
}

export const defaultKeySetLimits: KeySetLimits = {
  connectMs: 5_000,
  answerMs: 10_000,
  headOctets: 16 * 1024,
  bodyOctets: 512 * 1024,
};
