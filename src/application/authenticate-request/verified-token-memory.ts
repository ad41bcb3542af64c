import type { TokenWindow } from '../../domain/tokens/jwt-claim-rules.js';
import type { Clock } from '../ports/clock.js';
import type { PreparedIdentity } from './authentication-check.js';

/** A token that was verified before. */
export interface RememberedToken {
  readonly prepared: PreparedIdentity;
  readonly window: TokenWindow;
}

interface Entry extends RememberedToken {
  readonly size: number;
  /** On the monotonic clock. */
  readonly forgottenAtMs: number;
}

export interface TokenMemoryLimits {
  readonly maximumEntries: number;
  /** Characters of all remembered tokens together; what is kept of a token is of the order of its length. */
  readonly maximumSize: number;
  readonly keptForMs: number;
}

export const defaultTokenMemoryLimits: TokenMemoryLimits = {
  maximumEntries: 10_000,
  maximumSize: 8 * 1024 * 1024,
  keptForMs: 5 * 60_000,
};

/**
 * Remembers tokens whose signature was verified, because verifying costs many times what the rest of a request costs.
 * Keys are digests, never tokens. Bounded: the least recently used goes first.
 */
export class VerifiedTokenMemory {
  readonly #clock: Clock;
  readonly #limits: TokenMemoryLimits;
  /** In the order of use, the latest last. */
  readonly #entries = new Map<string, Entry>();
  #size = 0;

  constructor(clock: Clock, limits: TokenMemoryLimits = defaultTokenMemoryLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  find(digest: string): RememberedToken | null {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return null;
    this.#entries.delete(digest);
    if (this.#clock.monotonicMs() >= entry.forgottenAtMs) {
      this.#size -= entry.size;
      return null;
    }
    this.#entries.set(digest, entry);
    return entry;
  }

  remember(digest: string, token: RememberedToken, size: number): void {
    this.forget(digest);
    const forgottenAtMs = this.#clock.monotonicMs() + this.#limits.keptForMs;
    this.#entries.set(digest, { ...token, size, forgottenAtMs });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.maximumEntries && this.#size <= this.#limits.maximumSize) return;
      this.forget(oldest);
    }
  }

  forget(digest: string): void {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return;
    this.#entries.delete(digest);
    this.#size -= entry.size;
  }
}
