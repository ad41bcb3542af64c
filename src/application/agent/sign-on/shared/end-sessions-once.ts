import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { ReplayStore } from '../../../ports/agent/replay-store.js';
import type { Stored, StoreFailure } from '../../../ports/agent/session-store.js';

/** A logout message of an identity provider. */
export interface LogoutMessageId {
  /** Replay key; unique for provider and message. */
  readonly key: string;
  /** Until when the message would be accepted again, in wall milliseconds. */
  readonly untilMs: number;
  readonly nowMs: number;
}

/**
 * Ends the sessions of a logout message, once for each message: a replay would end sessions that began after the first
 * one. Remembers the message last. If the process dies before that, the provider can send the message again.
 */
export const endSessionsOnce = async <Ended>(
  replays: Pick<ReplayStore, 'has' | 'remember'>,
  { key, untilMs, nowMs }: LogoutMessageId,
  end: () => Stored<Ended>,
): Promise<Result<Ended, StoreFailure | 'replayed'>> => {
  const seen = await replays.has(key, nowMs);
  if (!seen.ok) return seen;
  if (seen.value) return err('replayed');
  const ended = await end();
  if (!ended.ok) return ended;
  const remembered = await replays.remember(key, untilMs, nowMs);
  if (!remembered.ok) return remembered;
  return remembered.value === 'first' ? ok(ended.value) : err('replayed');
};
