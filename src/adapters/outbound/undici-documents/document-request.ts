import type { KeySetFailure } from '../../../application/ports/agent/key-set-source.js';
import { type Err, err } from '../../../domain/shared/result.js';

// This file does not import undici, so that an agent that fetches nothing does not load it.

/** The request for a document. */
export interface DocumentRequest {
  readonly url: string;
  /** The value of Accept. */
  readonly accept: string;
}

/** The call of an endpoint. It may contain secrets. */
export interface EndpointCall extends DocumentRequest {
  /** The value of Authorization; null: none. */
  readonly authorization: string | null;
  /** Form to post; null: GET. */
  readonly form: string | null;
}

/** The response to a call, whatever its status. */
export interface CalledEndpoint {
  readonly status: number;
  /** Null: the response names none. */
  readonly contentType: string | null;
  readonly body: string;
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

/** A browser waits for the answer. The gateway has a timeout for its agent besides. */
export const defaultEndpointLimits: DocumentLimits = {
  connectMs: 3_000,
  answerMs: 5_000,
  headOctets: 16 * 1024,
  bodyOctets: 256 * 1024,
};

/** A request waits for the answer. Less than a gateway's default agent timeout. */
export const introspectionLimits: DocumentLimits = {
  connectMs: 800,
  answerMs: 800,
  headOctets: 16 * 1024,
  bodyOctets: 64 * 1024,
};

export const documentFailure = (code: KeySetFailure['code'], detail: string): Err<KeySetFailure> =>
  err({ code, detail });
