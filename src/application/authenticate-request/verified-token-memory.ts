import { checkWindow, type TokenWindow } from '../../domain/tokens/jwt-claim-rules.js';
import type { Clock } from '../ports/clock.js';
import type { CheckOutcome } from './authentication-check.js';
import type { PreparedIdentity } from './prepared-identity.js';

/** A token that was verified. */
export interface VerifiedToken {
  readonly prepared: PreparedIdentity;
  readonly window: TokenWindow;
  /** The key that its signature was verified under; null: one that stays as long as the memory. */
  readonly key: { readonly withdrawn: boolean } | null;
}

export interface TokenMemoryLimits {
  /** 0: nothing is remembered. */
  readonly maximumEntries: number;
  /** Characters of all remembered tokens together; what is kept of a token is of the order of its length. */
  readonly maximumSize: number;
}

interface Entry {
  readonly token: string;
  readonly outcome: CheckOutcome;
  readonly window: TokenWindow;
  readonly key: VerifiedToken['key'];
  readonly size: number;
}

/** A token may be a part of a head, all of which it would keep. */
const copied = (token: string): string => ` ${token}`.slice(1);

/**
 * Remembers tokens that were verified, whichever check verified them, because that costs many times what the rest of a
 * request costs. A token is remembered until it expires, its key is withdrawn, or others push it out: the least recently
 * used goes first. Tokens are kept as they are: a digest of each that comes would cost more than all the rest.
 */
export class VerifiedTokenMemory {
  readonly #clock: Clock;
  readonly #limits: TokenMemoryLimits;
  /** In the order of use, the latest last. */
  readonly #entries = new Map<string, Entry>();
  #size = 0;

  constructor(clock: Clock, limits: TokenMemoryLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * The outcome of checking a token that was verified before, where it is good at this moment. Null where it has to be
   * verified: what is wrong with it is for the check to say that is in charge of it.
   */
  recall(token: string): CheckOutcome | null {
    if (this.#limits.maximumEntries === 0) return null;
    const entry = this.#entries.get(token);
    if (entry === undefined) return null;
    this.#entries.delete(token);
    if (entry.key?.withdrawn === true) {
      this.#size -= entry.size;
      return null;
    }
    const untimely = checkWindow(entry.window, this.#clock.wallMs());
    if (untimely === 'expired') this.#size -= entry.size;
    else this.#entries.set(entry.token, entry);
    return untimely === null ? entry.outcome : null;
  }

  /** Remembers a token that is good now. One that was remembered before is replaced. */
  remember(token: string, { prepared, window, key }: VerifiedToken): void {
    const { maximumEntries, maximumSize } = this.#limits;
    const size = token.length;
    if (maximumEntries === 0 || size > maximumSize) return;
    this.#forget(token);
    const own = copied(token);
    this.#entries.set(own, { token: own, outcome: { kind: 'authenticated', prepared }, window, key, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maximumEntries && this.#size <= maximumSize) return;
      this.#forget(oldest);
    }
  }

  #forget(token: string): void {
    const entry = this.#entries.get(token);
    if (entry === undefined) return;
    this.#entries.delete(token);
    this.#size -= entry.size;
  }
}
