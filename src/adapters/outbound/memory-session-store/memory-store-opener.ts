import type { ReplayStore } from '../../../application/ports/agent/replay-store.js';
import type { Stored } from '../../../application/ports/agent/session-store.js';
import type { SessionStoreOpener, SessionStores } from '../../../application/ports/agent/session-stores.js';
import type { SignOnRequestStore } from '../../../application/ports/agent/sign-on-request-store.js';
import type { SessionStoreOptions } from '../../../domain/agent/configuration/sessions-options.js';
import type { SignOnRequest } from '../../../domain/agent/sign-on/sign-on-request.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { ExpiringMap } from './expiring-map.js';
import { defaultMemoryLimits, type MemoryStoreLimits } from './memory-limits.js';
import { MemorySessionStore } from './memory-session-store.js';
import { OpenState } from './open-state.js';

/** Overhead of the object, its numbers and its map entry. */
const overhead = 200;

/** Approximate characters of a request. */
const requestCharacters = (request: SignOnRequest): number => {
  let characters = overhead;
  for (const value of Object.values(request)) if (typeof value === 'string') characters += value.length;
  return characters;
};

/**
 * Requests in the memory of this process; the oldest are evicted if number or size exceeds the
 * limit.
 */
class MemorySignOnRequestStore implements SignOnRequestStore {
  readonly #requests = new ExpiringMap<SignOnRequest>(({ expiresMs }) => expiresMs);
  readonly #limits: Pick<MemoryStoreLimits, 'requests' | 'requestCharacters'>;
  readonly #state: OpenState;
  #characters = 0;

  constructor(limits: Pick<MemoryStoreLimits, 'requests' | 'requestCharacters'>, state: OpenState) {
    this.#limits = limits;
    this.#state = state;
  }

  async insert(request: SignOnRequest): Stored<void> {
    return this.#state.attempt(() => {
      if (this.#requests.get(request.handleHash) !== undefined) return err({ reason: 'the id already exists' });
      const characters = requestCharacters(request);
      const { requests, requestCharacters: allCharacters } = this.#limits;
      if (characters > allCharacters) return err({ reason: 'the sign-on request exceeds the memory store' });
      while (this.#requests.size >= requests || this.#characters + characters > allCharacters) {
        const oldest = this.#requests.firstKey();
        if (oldest === undefined) break;
        this.#drop(oldest);
      }
      this.#requests.set(request.handleHash, request);
      this.#characters += characters;
      return ok(undefined);
    });
  }

  async find(handleHash: string, nowMs: number): Stored<SignOnRequest | null> {
    return this.#state.answer(() => {
      const request = this.#requests.get(handleHash);
      return request !== undefined && request.expiresMs > nowMs ? request : null;
    });
  }

  async take(handleHash: string, nowMs: number): Stored<SignOnRequest | null> {
    return this.#state.answer(() => {
      const request = this.#drop(handleHash);
      return request !== null && request.expiresMs > nowMs ? request : null;
    });
  }

  async removeExpired(nowMs: number, limit: number): Stored<number> {
    return this.#state.answer(() => {
      const expired = this.#requests.expired(nowMs, limit);
      for (const key of expired) this.#drop(key);
      return expired.length;
    });
  }

  #drop(handleHash: string): SignOnRequest | null {
    const request = this.#requests.get(handleHash);
    if (request === undefined) return null;
    this.#requests.delete(handleHash);
    this.#characters -= requestCharacters(request);
    return request;
  }
}

/** Replay keys in process memory. Bounded; fails if full of unexpired keys. */
class MemoryReplayStore implements ReplayStore {
  readonly #expiries = new ExpiringMap<number>((untilMs) => untilMs);
  readonly #limit: number;
  readonly #state: OpenState;

  constructor(limit: number, state: OpenState) {
    this.#limit = limit;
    this.#state = state;
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
    return ok({
      sessions: new MemorySessionStore(this.#limits, state),
      replays: new MemoryReplayStore(this.#limits.replays, state),
      requests: new MemorySignOnRequestStore(this.#limits, state),
      isLost: () => false,
      close: async () => state.close(),
    });
  }
}
