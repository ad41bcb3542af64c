import type { RateLimitAnswer, RateLimitCharge, RateLimitStore } from '../../../ports/shared/rate-limit-store.js';
import type { ScheduledTask } from '../../../ports/shared/scheduler.js';
import { LocalLease } from './local-lease.js';
import { type RateDeskParts, RateLeaseServer, refuseLease } from './rate-lease-server.js';

/** Buckets that one worker knows of. */
const defaultMost = 10_000;

/** Of those that are known for longest, how many are looked at for one that may go. */
const lookedAt = 16;

/** The buckets that a worker has tokens of, waits for, or knows to be empty. */
class LocalLeases {
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

/** Uses are counted for so long, and so often accounts are given. */
const growthMs = 50;

/**
 * The buckets of all workers together, as one worker sees them: they are the supervisor's, which lends tokens of those that are used much.
 * Answers at once where tokens of every bucket were lent, or where one is known to be empty.
 */
export class LeasedRateLimitStore implements RateLimitStore {
  readonly #parts: RateDeskParts;
  readonly #desk: RateLeaseServer;
  readonly #leases: LocalLeases;
  #growth: ScheduledTask | null = null;

  /** @param most buckets that this worker knows of at the same time */
  constructor(parts: RateDeskParts, most?: number) {
    this.#parts = parts;
    this.#desk = new RateLeaseServer(parts);
    this.#leases = new LocalLeases(most);
  }

  /** A bucket that this worker knows nothing of is told as full where another one refuses. */
  take(charges: readonly RateLimitCharge[]): RateLimitAnswer | Promise<RateLimitAnswer> {
    const { clock, supervisor } = this.#parts;
    if (charges.length === 0 && supervisor.isClosed) return { kind: 'unavailable', detail: 'the supervisor is gone' };
    const nowMs = clock.monotonicMs();
    const leases: LocalLease[] = [];
    let areAllLent = true;
    let refusedBy = -1;
    let longestMs = 0;
    for (let index = 0; index < charges.length; index += 1) {
      const charge = charges[index] as RateLimitCharge;
      const lease = this.#leases.find(charge);
      if (lease === null || !lease.isOf(charge.limit)) {
        areAllLent = false;
        continue;
      }
      leases.push(lease);
      if (lease.hasToken) continue;
      areAllLent = false;
      const waitMs = lease.emptyForMs(nowMs);
      if (waitMs <= longestMs) continue;
      refusedBy = index;
      longestMs = waitMs;
    }
    if (refusedBy >= 0) return { kind: 'refused', refusedBy, waitMs: longestMs, left: this.#left(charges) };
    if (!areAllLent) return this.#ask(charges);
    const left: number[] = [];
    for (const lease of leases) {
      lease.spend();
      left.push(lease.left);
      if (lease.runsLow(nowMs)) this.#desk.fetch(lease);
    }
    return { kind: 'taken', left };
  }

  /** Buckets that this worker knows of; the gateway's are the supervisor's. */
  sizes(): Readonly<Record<string, number>> {
    return this.#leases.sizes();
  }

  /** Gives everything back. */
  async close(): Promise<void> {
    this.#growth?.cancel();
    this.#growth = null;
    const owing: LocalLease[] = [];
    for (const lease of this.#leases.all()) {
      lease.giveBack();
      if (lease.owesAccount) owing.push(lease);
    }
    this.#desk.account(owing);
  }

  #ask(charges: readonly RateLimitCharge[]): RateLimitAnswer | Promise<RateLimitAnswer> {
    const leases: LocalLease[] = [];
    const lacking: number[] = [];
    for (const charge of charges) {
      const lease = this.#leases.obtain(charge);
      if (lease === null) return refuseLease({ leases, lacking }, 'too many buckets are in use at once');
      if (lease.hasToken) lease.reserve();
      else {
        lease.lack();
        lacking.push(leases.length);
      }
      leases.push(lease);
    }
    this.#growth ??= this.#parts.scheduler.after(growthMs, () => this.#grow());
    return this.#desk.ask({ leases, lacking });
  }

  #left(charges: readonly RateLimitCharge[]): readonly number[] {
    return charges.map((charge) => this.#leases.find(charge)?.left ?? charge.limit.burst);
  }

  #grow(): void {
    this.#desk.account(this.#leases.grow(this.#parts.clock.monotonicMs()));
    const isNeeded = this.#leases.size > 0;
    this.#growth = isNeeded ? this.#parts.scheduler.after(growthMs, () => this.#grow()) : null;
  }
}
