import type { RateLimitAnswer, RateLimitCharge, RateLimitStore } from '../../../ports/shared/rate-limit-store.js';
import type { ScheduledTask } from '../../../ports/shared/scheduler.js';
import { LocalLease } from './local-lease.js';
import { RateLeaseClient, type RateLeaseClientPorts, refuseLease } from './rate-lease-client.js';

/** Buckets that one worker keeps a lease of. */
const defaultMaximumLeases = 10_000;

/** Of those that are known for longest, how many are looked at for one that may go. */
const evictionCandidates = 16;

/** The leases of one worker: buckets that it has tokens of, waits for, or knows to be empty. */
class LocalLeases {
  readonly #most: number;
  readonly #spaces = new Map<string, Map<string, LocalLease>>();
  /** In eviction order: least recently added or examined first. */
  readonly #all = new Set<LocalLease>();

  constructor(most = defaultMaximumLeases) {
    this.#most = most;
  }

  get size(): number {
    return this.#all.size;
  }

  find({ space, key }: RateLimitCharge): LocalLease | null {
    return this.#spaces.get(space)?.get(key) ?? null;
  }

  /** The lease of a bucket under the limit of the charge; null: the table is full of leases in use. */
  obtain(charge: RateLimitCharge): LocalLease | null {
    const found = this.find(charge);
    if (found !== null) {
      if (!found.hasLimit(charge.limit)) found.changeLimit(charge.limit);
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

  /** Ages every lease, evicts the idle ones, and returns those that owe an account. */
  age(nowMs: number): readonly LocalLease[] {
    const owing: LocalLease[] = [];
    for (const lease of this.#all) {
      lease.age(nowMs);
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
      if (lease.isEvictable) {
        this.#forget(lease);
        return true;
      }
      looked += 1;
      if (looked === evictionCandidates) return false;
      // Moves it behind all other candidates.
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

/** The interval at which leases age and accounts are sent, in milliseconds. */
const agingIntervalMs = 50;

/**
 * The shared rate-limit buckets, as one worker sees them. The supervisor holds the buckets and lends tokens of the busy
 * ones. Answers synchronously when every bucket has lent tokens, or when one is known to be empty.
 */
export class LeasedRateLimitStore implements RateLimitStore {
  readonly #parts: RateLeaseClientPorts;
  readonly #client: RateLeaseClient;
  readonly #leases: LocalLeases;
  #growth: ScheduledTask | null = null;

  /** @param most buckets that this worker keeps a lease of at the same time */
  constructor(parts: RateLeaseClientPorts, most?: number) {
    this.#parts = parts;
    this.#client = new RateLeaseClient(parts);
    this.#leases = new LocalLeases(most);
  }

  /** When one bucket refuses, buckets without a lease are reported as full. */
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
      if (lease === null || !lease.hasLimit(charge.limit)) {
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
      if (lease.runsLow(nowMs)) this.#client.fetch(lease);
    }
    return { kind: 'taken', left };
  }

  /** Leases of this worker, by space. The supervisor holds the buckets. */
  sizes(): Readonly<Record<string, number>> {
    return this.#leases.sizes();
  }

  /** Returns all lent tokens to the supervisor. */
  async close(): Promise<void> {
    this.#growth?.cancel();
    this.#growth = null;
    const owing: LocalLease[] = [];
    for (const lease of this.#leases.all()) {
      lease.giveBack();
      if (lease.owesAccount) owing.push(lease);
    }
    this.#client.account(owing);
  }

  #ask(charges: readonly RateLimitCharge[]): RateLimitAnswer | Promise<RateLimitAnswer> {
    const leases: LocalLease[] = [];
    const lacking: number[] = [];
    for (const charge of charges) {
      const lease = this.#leases.obtain(charge);
      if (lease === null) return refuseLease({ leases, lacking }, 'too many buckets are in use at once');
      if (lease.hasToken) lease.reserve();
      else {
        lease.addWaiter();
        lacking.push(leases.length);
      }
      leases.push(lease);
    }
    this.#growth ??= this.#parts.scheduler.after(agingIntervalMs, () => this.#grow());
    return this.#client.ask({ leases, lacking });
  }

  #left(charges: readonly RateLimitCharge[]): readonly number[] {
    return charges.map((charge) => this.#leases.find(charge)?.left ?? charge.limit.burst);
  }

  #grow(): void {
    this.#client.account(this.#leases.age(this.#parts.clock.monotonicMs()));
    const isNeeded = this.#leases.size > 0;
    this.#growth = isNeeded ? this.#parts.scheduler.after(agingIntervalMs, () => this.#grow()) : null;
  }
}
