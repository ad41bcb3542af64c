import { addressGroup } from '../../../../domain/http/address-group.js';
import type { Clock } from '../../../ports/shared/clock.js';

export interface AllowanceLimits {
  /** Sign-ons that one address group may begin in a period. */
  readonly signOns: number;
  readonly periodMs: number;
  /** Groups that are remembered; the one that has not come for longest makes way. */
  readonly addresses: number;
}

/** A sign-on that begins is under way for five minutes, and the stores that keep it are bounded: none may fill them alone. */
export const allowanceLimits: AllowanceLimits = { signOns: 5_000, periodMs: 5 * 60_000, addresses: 10_000 };

/** A period is counted in so many parts; it is over by a part at a time. */
const parts = 5;

interface PartCount {
  readonly part: number;
  count: number;
}

/** Says whether a client may begin one more sign-on: in no period does an address group begin more than it may. */
export class SignOnAllowance {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #limits: AllowanceLimits;
  readonly #begun = new Map<string, PartCount[]>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, limits: AllowanceLimits = allowanceLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** False: the group of the address has begun so many already. True counts. */
  take(address: string): boolean {
    const { signOns, periodMs, addresses } = this.#limits;
    const group = addressGroup(address);
    const part = Math.floor((this.#clock.monotonicMs() * parts) / periodMs);
    // The part that is cut by the beginning of the period counts whole.
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
