import type { KeySetFailure } from '../../../application/ports/agent/key-set-source.js';
import { type Err, err } from '../../../domain/shared/result.js';

// This file does not import undici, so that an agent that fetches nothing does not load it.

/** The request for a document. */
export interface DocumentRequest {
  readonly url: string;
  /** The value of Accept. */
  readonly accept: string;
}

/** The limits of one fetch. */
export interface DocumentLimits {
  /** Timeout of the connection, TLS handshake included. */
  readonly connectMs: number;
  /** Timeout of the whole fetch, from its start to the last octet. */
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

/** Federation metadata is large, and no request waits for it. */
export const defaultMetadataLimits: DocumentLimits = {
  connectMs: 5_000,
  answerMs: 30_000,
  headOctets: 16 * 1024,
  bodyOctets: 4 * 1024 * 1024,
};

export const documentFailure = (code: KeySetFailure['code'], detail: string): Err<KeySetFailure> =>
  err({ code, detail });
