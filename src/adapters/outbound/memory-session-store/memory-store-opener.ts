import type { ReplayStore } from '../../../application/ports/agent/replay-store.js';
import type { Stored } from '../../../application/ports/agent/session-store.js';
import type { SessionStoreOpener, SessionStores } from '../../../application/ports/agent/session-stores.js';
import type { SessionStoreOptions } from '../../../domain/agent/configuration/sessions-options.js';
import type { KeptForm } from '../../../domain/agent/sign-on/kept-form.js';
import type { SignOnRequest } from '../../../domain/agent/sign-on/sign-on-request.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { ExpiringMap } from './expiring-map.js';
import { MemoryHandleStore } from './memory-handle-store.js';
import { defaultMemoryLimits, type MemoryStoreLimits } from './memory-limits.js';
import { MemorySessionStore } from './memory-session-store.js';
import { OpenState } from './open-state.js';

/** Replay keys in process memory. Bounded; fails if full of unexpired keys. */
class MemoryReplayStore implements ReplayStore {
  readonly #expiries = new ExpiringMap<number>((untilMs) => untilMs);
  readonly #limit: number;
  readonly #state: OpenState;

  constructor(limit: number, state: OpenState) {
    this.#limit = limit;
    this.#state = state;
  }

  async has(key: string, nowMs: number): Stored<boolean> {
    return this.#state.answer(() => (this.#expiries.get(key) ?? nowMs) > nowMs);
  }

  async remember(key: string, untilMs: number, nowMs: number): Stored<'first' | 'seen'> {
    return this.#state.attempt(() => {
      const known = this.#expiries.get(key);
      if (known !== undefined && known > nowMs) return ok('seen');
      if (known === undefined && this.#expiries.size >= this.#limit) this.#drop(nowMs, this.#limit);
      if (known === undefined && this.#expiries.size >= this.#limit)
        return err({ reason: 'the memory replay store is full' });
      this.#expiries.set(key, untilMs);
      return ok('first');
    });
  }

  async removeExpired(nowMs: number, limit: number): Stored<number> {
    return this.#state.answer(() => this.#drop(nowMs, limit));
  }

  #drop(nowMs: number, limit: number): number {
    const expired = this.#expiries.expired(nowMs, limit);
    for (const key of expired) this.#expiries.delete(key);
    return expired.length;
  }
}

/** Stores in the memory of this process. Each opening is empty; open once to share one. */
export class MemoryStoreOpener implements SessionStoreOpener {
  readonly #limits: MemoryStoreLimits;

  constructor(limits: Partial<MemoryStoreLimits> = {}) {
    this.#limits = { ...defaultMemoryLimits, ...limits };
  }

  async open(options: SessionStoreOptions): Promise<Result<SessionStores, string>> {
    if (options.kind !== 'memory') return err(`a ${options.kind} session store is not in memory`);
    const state = new OpenState();
    const { requests, requestCharacters, forms, formCharacters } = this.#limits;
    return ok({
      sessions: new MemorySessionStore(this.#limits, state),
      replays: new MemoryReplayStore(this.#limits.replays, state),
      requests: new MemoryHandleStore<SignOnRequest>({ entries: requests, characters: requestCharacters }, state),
      forms: new MemoryHandleStore<KeptForm>({ entries: forms, characters: formCharacters }, state),
      isLost: () => false,
      close: async () => state.close(),
    });
  }
}
