import type { Stored } from '../../../application/ports/session-store.js';
import type { SignOnRequestStore } from '../../../application/ports/sign-on-request-store.js';
import type { SignOnRequest } from '../../../domain/saml/sign-on/sign-on-request.js';
import { err, ok } from '../../../domain/shared/result.js';
import { ExpiringMap } from './expiring-map.js';
import type { OpenState } from './open-state.js';

/** Requests of this process; the oldest makes way where there are too many. */
export class MemorySignOnRequestStore implements SignOnRequestStore {
  readonly #requests = new ExpiringMap<SignOnRequest>(({ expiresMs }) => expiresMs);
  readonly #limit: number;
  readonly #state: OpenState;

  constructor(limit: number, state: OpenState) {
    this.#limit = limit;
    this.#state = state;
  }

  async insert(request: SignOnRequest): Stored<void> {
    return this.#state.attempt(() => {
      if (this.#requests.get(request.handleHash) !== undefined) return err({ reason: 'the id is there already' });
      const oldest = this.#requests.size >= this.#limit ? this.#requests.firstKey() : undefined;
      if (oldest !== undefined) this.#requests.delete(oldest);
      this.#requests.set(request.handleHash, request);
      return ok(undefined);
    });
  }

  async take(handleHash: string, nowMs: number): Stored<SignOnRequest | null> {
    return this.#state.answer(() => {
      const request = this.#requests.get(handleHash);
      this.#requests.delete(handleHash);
      return request !== undefined && request.expiresMs > nowMs ? request : null;
    });
  }

  async removeExpired(nowMs: number, limit: number): Stored<number> {
    return this.#state.answer(() => {
      const over = this.#requests.over(nowMs, limit);
      for (const key of over) this.#requests.delete(key);
      return over.length;
    });
  }
}
