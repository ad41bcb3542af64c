import type { RateLimitCharge } from '../../../ports/shared/rate-limit-store.js';
import { LocalLease } from './local-lease.js';

/** Buckets that one worker knows of. */
const defaultMost = 10_000;

/** Of those that are known for longest, how many are looked at for one that may go. */
const lookedAt = 16;

/** The buckets that a worker has tokens of, waits for, or knows to be empty. */
export class LocalLeases {
  readonly #most: number;
  readonly #spaces = new Map<string, Map<string, LocalLease>>();
  /** Those known for longest first. */
  readonly #all = new Set<LocalLease>();

  constructor(most = defaultMost) {
    this.#most = most;
  }

  get size(): number {
    return this.#all.size;
  }

  find({ space, key }: RateLimitCharge): LocalLease | null {
    return this.#spaces.get(space)?.get(key) ?? null;
  }

  /** The lease of a bucket under the limit of the charge; null: there are too many that are in use. */
  obtain(charge: RateLimitCharge): LocalLease | null {
    const found = this.find(charge);
    if (found !== null) {
      if (!found.isOf(charge.limit)) found.change(charge.limit);
      return found;
    }
    if (this.#all.size >= this.#most && !this.#makeRoom()) return null;
    const lease = new LocalLease(charge);
    const leases = this.#spaces.get(charge.space);
    if (leases === undefined) this.#spaces.set(charge.space, new Map([[charge.key, lease]]));
    else leases.set(charge.key, lease);
    this.#all.add(lease);
    return lease;
  }

  /** Forgets what is idle, lets leases grow old, and gives those that owe an account. */
  grow(nowMs: number): readonly LocalLease[] {
    const owing: LocalLease[] = [];
    for (const lease of this.#all) {
      lease.grow(nowMs);
      if (lease.owesAccount) owing.push(lease);
      else if (lease.isIdle(nowMs)) this.#forget(lease);
    }
    return owing;
  }

  all(): Iterable<LocalLease> {
    return this.#all;
  }

  sizes(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#spaces].map(([space, leases]) => [space, leases.size]));
  }

  #makeRoom(): boolean {
    let looked = 0;
    for (const lease of this.#all) {
      if (lease.mayGo) {
        this.#forget(lease);
        return true;
      }
      looked += 1;
      if (looked === lookedAt) return false;
      // It is looked at again when all others have been.
      this.#all.delete(lease);
      this.#all.add(lease);
    }
    return false;
  }

  #forget(lease: LocalLease): void {
    this.#all.delete(lease);
    const leases = this.#spaces.get(lease.space);
    leases?.delete(lease.key);
    if (leases?.size === 0) this.#spaces.delete(lease.space);
  }
}
