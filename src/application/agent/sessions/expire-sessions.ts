import type { Result } from '../../../domain/shared/result.js';
import type { StoreFailure } from '../../ports/agent/session-store.js';
import type { SessionStores } from '../../ports/agent/session-stores.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import type { StoreState } from './store-state.js';

/** Maximum removals per step. Other users of the store wait for at most one step. */
export const expiryBatch = 500;
/** Pause between two steps, in milliseconds. */
export const betweenBatchesMs = 20;
/**
 * Idle sessions stay in the store this much longer than their idle time, because their last uses may not be written
 * yet. They are invalid anyway.
 */
export const unwrittenUseMs = 120_000;

/** A replay key that no message can have: real keys are hashes. */
const trialKey = 'trial';

export interface ExpireSessionsOptions {
  readonly stores: Pick<SessionStores, 'sessions' | 'replays' | 'requests' | 'forms'>;
  readonly state: Pick<StoreState, 'fails'>;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly intervalMs: number;
  /** Idle time after which a session ends, in milliseconds; null: no idle limit. */
  readonly idleMs: number | null;
}

type Removal = (nowMs: number) => Promise<Result<number, StoreFailure>>;

/** Removes expired entries from the stores periodically, from `start` to `stop`. */
export class ExpireSessions {
  readonly #parts: ExpireSessionsOptions;
  #ticking: ScheduledTask | null = null;
  #running: Promise<void> | null = null;
  #endPause: () => void = () => undefined;
  #isStopped = false;

  constructor(parts: ExpireSessionsOptions) {
    this.#parts = parts;
  }

  start(): void {
    const { scheduler, intervalMs } = this.#parts;
    if (this.#isStopped) return;
    this.#ticking ??= scheduler.every(intervalMs, () => void this.run());
  }

  /** Starts a run, or joins the current one. Never rejects. */
  run(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Resolves when the current step has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#ticking?.cancel();
    this.#ticking = null;
    this.#endPause();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { stores, logger, idleMs } = this.#parts;
    const { sessions, replays, requests, forms } = stores;
    const seenBefore = (nowMs: number) => (idleMs === null ? null : nowMs - idleMs - unwrittenUseMs);
    const counts = {
      sessions: await this.#removeAll((nowMs) => sessions.removeExpired(nowMs, seenBefore(nowMs), expiryBatch)),
      replays: await this.#removeAll((nowMs) => replays.removeExpired(nowMs, expiryBatch)),
      requests: await this.#removeAll((nowMs) => requests.removeExpired(nowMs, expiryBatch)),
      forms: await this.#removeAll((nowMs) => forms.removeExpired(nowMs, expiryBatch)),
    };
    const count = counts.sessions + counts.replays + counts.requests + counts.forms;
    if (count > 0) logger.info('expired entries removed', counts);
    await this.#tryToKeep();
  }

  /**
   * After a failed write there may be no further write for a long time. This trial write detects that the store works
   * again.
   */
  async #tryToKeep(): Promise<void> {
    const { stores, state, clock } = this.#parts;
    if (this.#isStopped || !state.fails('keep')) return;
    const nowMs = clock.wallMs();
    await stores.replays.remember(trialKey, nowMs + 1, nowMs);
  }

  /** Removes in steps until nothing is left or a step fails. Returns the number of removed entries. */
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
