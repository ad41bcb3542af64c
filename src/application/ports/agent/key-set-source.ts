import type { JsonValue } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Cancellation } from '../shared/cancellation.js';

/** Fetches metadata of identity providers. Time and size (4 MiB) of an answer are bounded; redirects are not followed. */
export interface MetadataSource {
  /** The text of the answer. Never rejects. */
  fetch(url: string, cancellation: Cancellation): Promise<Result<string, KeySetFailure>>;
}

/** Why a key set could not be had. */
export interface KeySetFailure {
  readonly code: 'unreachable' | 'timed_out' | 'bad_status' | 'too_large' | 'malformed' | 'cancelled';
  /** One clause for the log; holds nothing of the answer's body. */
  readonly detail: string;
}

/** Fetches JWK sets (RFC 7517, section 5). Time and size of an answer are bounded; redirects are not followed. */
export interface KeySetSource {
  /**
   * The JSON of the answer: an object in which no name occurs twice, whatever is in it. Never rejects. A fetch that is
   * cancelled lets go of its connection at once, and fails.
   */
  fetch(url: string, cancellation: Cancellation): Promise<Result<JsonValue, KeySetFailure>>;
}
