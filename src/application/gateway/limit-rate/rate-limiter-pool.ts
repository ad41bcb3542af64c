import type { RateLimitStoreOptions } from '../../../domain/gateway/configuration/rate-limit-options.js';
import { bucketsByName } from '../../../domain/gateway/rate-limiting/applied-rate-limit.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { RateLimitStore, SharedRateLimitStoreOpener } from '../../ports/shared/rate-limit-store.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { RateLimiter, type StoreFailureMode } from './rate-limiter.js';

interface RateLimitStores {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The buckets of this gateway only. They outlive every configuration. */
  readonly memory: RateLimitStore;
  /** How to decide while `memory` is unavailable; absent: it is always available. */
  readonly memoryFailureMode?: StoreFailureMode;
  readonly openShared: SharedRateLimitStoreOpener;
  readonly scheduler: Scheduler;
}

/** The limiter of one configuration, from `use` to `release`. */
export interface RateLimiterInUse {
  readonly limiter: RateLimiter;
  /** Call it once, after the last use. */
  release(): Promise<void>;
}

interface OpenedLimiter {
  readonly limiter: RateLimiter;
  readonly store: RateLimitStore;
  /** Checks the store periodically, so that its state is known without traffic too. */
  readonly checks: ScheduledTask;
}

interface SharedLimiter {
  readonly opened: Promise<OpenedLimiter>;
  /** Null until the store is open. */
  limiter: RateLimiter | null;
  users: number;
}

/** Interval between checks of a shared store; milliseconds. */
export const storeCheckMs = 5_000;

/**
 * The limiters of all configurations in use. Configurations with the same options share one, so that a reload keeps
 * buckets and connections.
 */
export class RateLimiterPool {
  readonly #stores: RateLimitStores;
  readonly #local: RateLimiter;
  readonly #shared = new Map<string, SharedLimiter>();

  constructor(stores: RateLimitStores) {
    this.#stores = stores;
    this.#local = new RateLimiter(stores.memory, stores.memoryFailureMode ?? { kind: 'deny' }, stores);
  }

  /** Resolves even if the store is unavailable, which is logged. */
  async use(options: RateLimitStoreOptions): Promise<RateLimiterInUse> {
    if (options.kind === 'memory') return { limiter: this.#local, release: async () => undefined };
    const key = `${options.onFailure} ${options.url.reveal()}`;
    const shared = this.#shared.get(key) ?? this.#open(options, key);
    shared.users += 1;
    const { limiter } = await shared.opened;
    return { limiter, release: () => this.#release(key, shared) };
  }

  /** Whether every shared store in use answered the last time; true without shared stores. */
  isStoreUp(): boolean {
    return [...this.#shared.values()].every(({ limiter }) => limiter?.isStoreUp !== false);
  }

  /** Number of buckets in memory, by the name of their limit. */
  heldBuckets(): Readonly<Record<string, number>> {
    return bucketsByName(this.#stores.memory.sizes());
  }

  #open({ url, onFailure }: Extract<RateLimitStoreOptions, { kind: 'redis' }>, key: string): SharedLimiter {
    const { memory, openShared, scheduler } = this.#stores;
    const failureMode: StoreFailureMode =
      onFailure === 'local' ? { kind: 'local', store: memory } : { kind: onFailure };
    const open = async () => {
      const store = await openShared(url);
      const limiter = new RateLimiter(store, failureMode, this.#stores);
      await limiter.check();
      shared.limiter = limiter;
      return { limiter, store, checks: scheduler.every(storeCheckMs, () => void limiter.check()) };
    };
    const shared: SharedLimiter = { opened: Promise.resolve().then(open), limiter: null, users: 0 };
    this.#shared.set(key, shared);
    return shared;
  }

  async #release(key: string, shared: SharedLimiter): Promise<void> {
    shared.users -= 1;
    if (shared.users > 0) return;
    this.#shared.delete(key);
    const { store, checks } = await shared.opened;
    checks.cancel();
    await store.close();
  }
}
