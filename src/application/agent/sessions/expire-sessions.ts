import type { Result } from '../../../domain/shared/result.js';
import type { StoreFailure } from '../../ports/agent/session-store.js';
import type { SessionStores } from '../../ports/agent/session-stores.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import type { StoreState } from './store-state.js';

/** What one step removes, at most: others who use the store wait for no more than that. */
export const expiryBatch = 500;
/** Between two steps. */
export const betweenBatchesMs = 20;
/**
 * How much longer than its time without use a session is kept: the last uses of it may not be written yet, and what
 * is kept too long counts no more all the same.
 */
export const unwrittenUseMs = 120_000;

/** No message is remembered by that: their keys are hashes. */
const trialKey = 'trial';

export interface ExpireSessionsParts {
  readonly stores: Pick<SessionStores, 'sessions' | 'replays' | 'requests'>;
  readonly state: Pick<StoreState, 'fails'>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly intervalMs: number;
  /** How long a session lasts without use, in milliseconds; null: as long as it lasts. */
  readonly idleMs: number | null;
}

type Removal = (nowMs: number) => Promise<Result<number, StoreFailure>>;

/** Takes what is over out of the stores, again and again, from `start` to `stop`. */
export class ExpireSessions {
  readonly #parts: ExpireSessionsParts;
  #ticking: ScheduledTask | null = null;
  #running: Promise<void> | null = null;
  #endPause: () => void = () => undefined;
  #isStopped = false;

  constructor(parts: ExpireSessionsParts) {
    this.#parts = parts;
  }

  start(): void {
    const { scheduler, intervalMs } = this.#parts;
    if (this.#isStopped) return;
    this.#ticking ??= scheduler.every(intervalMs, () => void this.run());
  }

  /** One run; where one lasts already, that. Never rejects. */
  run(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Resolves when the step that is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#ticking?.cancel();
    this.#ticking = null;
    this.#endPause();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { stores, logger, idleMs } = this.#parts;
    const { sessions, replays, requests } = stores;
    const seenBefore = (nowMs: number) => (idleMs === null ? null : nowMs - idleMs - unwrittenUseMs);
    const counts = {
      sessions: await this.#removeAll((nowMs) => sessions.removeExpired(nowMs, seenBefore(nowMs), expiryBatch)),
      replays: await this.#removeAll((nowMs) => replays.removeExpired(nowMs, expiryBatch)),
      requests: await this.#removeAll((nowMs) => requests.removeExpired(nowMs, expiryBatch)),
    };
    if (counts.sessions + counts.replays + counts.requests > 0) logger.info('what is over was removed', counts);
    await this.#tryToKeep();
  }

  /**
   * Where the last thing to be kept was not, nobody may come for long with another: whether the store takes any again
   * has to be tried.
   */
  async #tryToKeep(): Promise<void> {
    const { stores, state, clock } = this.#parts;
    if (this.#isStopped || !state.fails('keep')) return;
    const nowMs = clock.wallMs();
    await stores.replays.remember(trialKey, nowMs + 1, nowMs);
  }

  /** How many were removed, until none was left, or it failed. */
  async #removeAll(remove: Removal): Promise<number> {
    let count = 0;
    while (!this.#isStopped) {
      const removed = await remove(this.#parts.clock.wallMs());
      if (!removed.ok) break;
      count += removed.value;
      if (removed.value < expiryBatch || this.#isStopped) break;
      await this.#pause();
    }
    return count;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const pause = this.#parts.scheduler.after(betweenBatchesMs, resolve);
      this.#endPause = () => {
        pause.cancel();
        resolve();
      };
    });
  }
}
