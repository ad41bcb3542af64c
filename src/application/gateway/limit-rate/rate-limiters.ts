import type { RateLimitStoreOptions } from '../../../domain/gateway/configuration/rate-limit-options.js';
import { bucketsByName } from '../../../domain/gateway/rate-limiting/applied-rate-limit.js';
import type { RateLimitStore, SharedRateLimitStoreOpener } from '../../ports/shared/rate-limit-store.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import { RateLimiter, type RateLimiterParts, type WithoutStore } from './rate-limiter.js';

export interface RateLimitersParts extends RateLimiterParts {
  /** The buckets of this gateway alone: they outlive every configuration. */
  readonly memory: RateLimitStore;
  /** What is done while those cannot be asked; not given: they always can. */
  readonly withoutMemory?: WithoutStore;
  readonly openShared: SharedRateLimitStoreOpener;
  readonly scheduler: Scheduler;
}

/** A limiter for as long as a configuration is in force. */
export interface RateLimiterInUse {
  readonly limiter: RateLimiter;
  /** Called once, when nothing asks it any more. */
  release(): Promise<void>;
}

interface OpenedLimiter {
  readonly limiter: RateLimiter;
  readonly store: RateLimitStore;
  /** Asks the store again and again, so that its state is known without traffic too. */
  readonly checks: ScheduledTask;
}

interface SharedLimiter {
  readonly opened: Promise<OpenedLimiter>;
  /** Null until the store was opened. */
  limiter: RateLimiter | null;
  users: number;
}

/** Between two questions to a shared store that no request asks. */
export const storeCheckMs = 5_000;

/**
 * The limiters of the configurations that are in force. Those with the same options share one, so that a reload
 * neither empties buckets nor connects anew.
 */
export class RateLimiters {
  readonly #parts: RateLimitersParts;
  readonly #local: RateLimiter;
  readonly #shared = new Map<string, SharedLimiter>();

  constructor(parts: RateLimitersParts) {
    this.#parts = parts;
    this.#local = new RateLimiter(parts.memory, parts.withoutMemory ?? { kind: 'deny' }, parts);
  }

  /** Resolves also where the store cannot be reached: the log says so then. */
  async use(options: RateLimitStoreOptions): Promise<RateLimiterInUse> {
    if (options.kind === 'memory') return { limiter: this.#local, release: async () => undefined };
    const key = `${options.onFailure} ${options.url.reveal()}`;
    const shared = this.#shared.get(key) ?? this.#open(options, key);
    shared.users += 1;
    const { limiter } = await shared.opened;
    return { limiter, release: () => this.#release(key, shared) };
  }

  /** Whether every shared store in use answered when it was last asked; true where there is none. */
  isStoreUp(): boolean {
    return [...this.#shared.values()].every(({ limiter }) => limiter?.isStoreUp !== false);
  }

  /** Buckets that this gateway holds itself, by the name of their limit. */
  heldBuckets(): Readonly<Record<string, number>> {
    return bucketsByName(this.#parts.memory.sizes());
  }

  #open({ url, onFailure }: Extract<RateLimitStoreOptions, { kind: 'redis' }>, key: string): SharedLimiter {
    const { memory, openShared, scheduler } = this.#parts;
    const withoutStore: WithoutStore = onFailure === 'local' ? { kind: 'local', store: memory } : { kind: onFailure };
    const open = async () => {
      const store = await openShared(url);
      const limiter = new RateLimiter(store, withoutStore, this.#parts);
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
