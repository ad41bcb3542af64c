import type { UpstreamFailure } from '../../../../application/ports/gateway/upstream-client.js';
import type { UpstreamSession } from './upstream-session.js';

/** A request that needs a stream. */
export interface StreamUser {
  /** Session that refused the request unprocessed, to be avoided; null if none. */
  readonly refusedBy: UpstreamSession | null;
  /** It opens no stream, and only learns whether its session opens. */
  readonly isAbandoned: boolean;
  /** All streams are busy and no session can be opened. */
  wait(): void;
  /**
   * A session is being opened for the request.
   *
   * @param beganMs since when; monotonic milliseconds
   */
  expect(beganMs: number): void;
  /** The request may open one stream now. */
  use(session: UpstreamSession): void;
  /** No stream: its session failed to open. */
  fail(failure: UpstreamFailure): void;
  /** No stream: the pool is closing. */
  giveUp(): void;
  /** No stream: the target is being drained. */
  evictQueued(): void;
}
