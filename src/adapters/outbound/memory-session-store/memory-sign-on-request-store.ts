import type { Stored } from '../../../application/ports/agent/session-store.js';
import type { SignOnRequestStore } from '../../../application/ports/agent/sign-on-request-store.js';
import type { SignOnRequest } from '../../../domain/agent/saml/sign-on/sign-on-request.js';
import { err, ok } from '../../../domain/shared/result.js';
import { ExpiringMap } from './expiring-map.js';
import type { MemoryStoreLimits } from './memory-limits.js';
import type { OpenState } from './open-state.js';
import { requestCharacters } from './request-characters.js';

/** Requests of this process; the oldest make way where there are too many, or they are too long together. */
export class MemorySignOnRequestStore implements SignOnRequestStore {
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
      if (this.#requests.get(request.handleHash) !== undefined) return err({ reason: 'the id is there already' });
      const characters = requestCharacters(request);
      const { requests, requestCharacters: allCharacters } = this.#limits;
      if (characters > allCharacters) return err({ reason: 'the request is too long for the memory store' });
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
      const over = this.#requests.over(nowMs, limit);
      for (const key of over) this.#drop(key);
      return over.length;
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
