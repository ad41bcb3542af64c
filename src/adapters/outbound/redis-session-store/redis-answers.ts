import type { StoreFailure } from '../../../application/ports/agent/session-store.js';
import { type Err, err, ok, type Result } from '../../../domain/shared/result.js';

/** Redis holds, under a key of ours, what we do not write. */
export const notOurs: Err<StoreFailure> = err({ reason: 'redis holds something else under the keys of sessions' });

/** The number that a script gives back. */
export const numberOf = (answer: Result<unknown, StoreFailure>): Result<number, StoreFailure> => {
  if (!answer.ok) return answer;
  return typeof answer.value === 'number' ? ok(answer.value) : notOurs;
};

/** How long what ends at a moment is held at least, as the milliseconds that Redis takes: an hour longer, for clocks that differ. */
export const timeToLive = (fromMs: number, untilMs: number): string =>
  String(Math.max(0, Math.ceil(untilMs - fromMs)) + 3_600_000);
