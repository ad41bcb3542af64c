import type { JsonValue } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Cancellation } from '../shared/cancellation.js';

/**
 * Fetches metadata of identity providers. Limits time and size (4 MiB) of a response; does not
 * follow redirects.
 */
export interface MetadataSource {
  /** The text of the response. Never rejects. */
  fetch(url: string, cancellation: Cancellation): Promise<Result<string, KeySetFailure>>;
}

/** Why a fetch failed. */
export interface KeySetFailure {
  readonly code: 'unreachable' | 'timed_out' | 'bad_status' | 'too_large' | 'malformed' | 'cancelled';
  /** One clause for the log, without any of the response body. */
  readonly detail: string;
}

/**
 * Fetches JWK sets (RFC 7517, section 5). Limits time and size of a response; does not follow
 * redirects.
 */
export interface KeySetSource {
  /**
   * The JSON of the response: an object without duplicate names, otherwise unchecked. Never
   * rejects. A cancelled fetch closes its connection and fails at once.
   */
  fetch(url: string, cancellation: Cancellation): Promise<Result<JsonValue, KeySetFailure>>;
}
