import type { UpstreamFailure } from '../../../../application/ports/gateway/upstream-client.js';
import type { UpstreamSession } from './upstream-session.js';

/** What wants a stream. */
export interface StreamUser {
  /** The session that has refused it unprocessed, which another is preferred to; null where none has. */
  readonly refusedBy: UpstreamSession | null;
  /** Every stream is taken, and no session can be made. */
  wait(): void;
  /** A session is being made for it. */
  expect(): void;
  /** It may open one stream, now. */
  use(session: UpstreamSession): void;
  /** There will be none: the session that was made for it did not come about. */
  fail(failure: UpstreamFailure): void;
  /** There will be none: the connections close. */
  giveUp(): void;
  /** There will be none: the target gets no more requests. */
  evictQueued(): void;
}
