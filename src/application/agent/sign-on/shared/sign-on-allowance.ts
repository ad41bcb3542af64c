import { addressGroup } from '../../../../domain/http/ip-address.js';
import type { Clock } from '../../../ports/shared/clock.js';

interface AllowanceLimits {
  /** Maximum sign-ons that an address group may begin per period. */
  readonly signOns: number;
  readonly periodMs: number;
  /** Maximum remembered groups; evicts the least recently used. */
  readonly addresses: number;
}

/** A pending sign-on lasts five minutes. The store of pending sign-ons is bounded, and no address group may fill it. */
export const allowanceLimits: AllowanceLimits = { signOns: 5_000, periodMs: 5 * 60_000, addresses: 10_000 };

/** Number of parts of a period. The window advances by one part at a time. */
const parts = 5;

interface PartCount {
  readonly part: number;
  count: number;
}

/** Limits the sign-ons that an address group begins per period. */
export class SignOnAllowance {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #limits: AllowanceLimits;
  readonly #begun = new Map<string, PartCount[]>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, limits: AllowanceLimits = allowanceLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Counts a sign-on; false if the group of the address has reached its limit. */
  take(address: string): boolean {
    const { signOns, periodMs, addresses } = this.#limits;
    const group = addressGroup(address);
    const part = Math.floor((this.#clock.monotonicMs() * parts) / periodMs);
    // The part at the start of the window counts fully.
    const counts = (this.#begun.get(group) ?? []).filter((counted) => counted.part >= part - parts);
    const isAllowed = counts.reduce((sum, { count }) => sum + count, 0) < signOns;
    if (isAllowed) {
      const last = counts.at(-1);
      if (last?.part === part) last.count += 1;
      else counts.push({ part, count: 1 });
    }
    this.#begun.delete(group);
    this.#begun.set(group, counts);
    if (this.#begun.size > addresses) this.#begun.delete(this.#begun.keys().next().value as string);
    return isAllowed;
  }
}
