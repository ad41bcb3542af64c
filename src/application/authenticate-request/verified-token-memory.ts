import { checkWindow, type TokenWindow } from '../../domain/tokens/jwt-claim-rules.js';
import type { Clock } from '../ports/clock.js';
import type { SecretDigest } from '../ports/secret-digest.js';
import type { CheckOutcome, PreparedIdentity } from './authentication-check.js';

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
  readonly outcome: CheckOutcome;
  readonly window: TokenWindow;
  readonly key: VerifiedToken['key'];
  readonly size: number;
}

/**
 * Remembers tokens that were verified, whichever check verified them, because that costs many times what the rest of a
 * request costs. A token is remembered until it expires, its key is withdrawn, or others push it out: the least recently
 * used goes first. Keys are digests, never tokens.
 */
export class VerifiedTokenMemory {
  readonly #clock: Clock;
  readonly #digest: SecretDigest;
  readonly #limits: TokenMemoryLimits;
  /** In the order of use, the latest last. */
  readonly #entries = new Map<string, Entry>();
  #size = 0;
  /** What was asked for last and not found: the next check asks for it again, and then it is remembered. */
  #missed: { readonly token: string; readonly digest: string } | null = null;

  constructor(clock: Clock, digest: SecretDigest, limits: TokenMemoryLimits) {
    this.#clock = clock;
    this.#digest = digest;
    this.#limits = limits;
  }

  /**
   * The outcome of checking a token that was verified before, where it is good at this moment. Null where it has to be
   * verified: what is wrong with it is for the check to say that is in charge of it.
   */
  recall(token: string): CheckOutcome | null {
    if (this.#limits.maximumEntries === 0) return null;
    const digest = this.#digestOf(token);
    const entry = this.#entries.get(digest);
    if (entry === undefined) {
      this.#missed = { token, digest };
      return null;
    }
    this.#entries.delete(digest);
    if (entry.key?.withdrawn === true) {
      this.#size -= entry.size;
      return null;
    }
    const untimely = checkWindow(entry.window, this.#clock.wallMs());
    if (untimely === 'expired') this.#size -= entry.size;
    else this.#entries.set(digest, entry);
    return untimely === null ? entry.outcome : null;
  }

  /** Remembers a token that is good now. One that was remembered before is replaced. */
  remember(token: string, { prepared, window, key }: VerifiedToken): void {
    const { maximumEntries, maximumSize } = this.#limits;
    const size = token.length;
    if (maximumEntries === 0 || size > maximumSize) return;
    const digest = this.#digestOf(token);
    this.#missed = null;
    this.#forget(digest);
    this.#entries.set(digest, { outcome: { kind: 'authenticated', prepared }, window, key, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maximumEntries && this.#size <= maximumSize) return;
      this.#forget(oldest);
    }
  }

  #digestOf(token: string): string {
    return this.#missed?.token === token ? this.#missed.digest : this.#digest.digest(token);
  }

  #forget(digest: string): void {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return;
    this.#entries.delete(digest);
    this.#size -= entry.size;
  }
}
