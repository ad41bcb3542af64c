import type { Clock } from '../../ports/shared/clock.js';
import { AddressCache } from './host-lookups.js';
import { type LedgerRules, TargetLedger } from './target-ledger.js';

interface HeldLedger {
  readonly ledger: TargetLedger;
  /** Number of upstreams of all generations that use it. */
  holders: number;
}

const keyOf = (upstream: string, address: string): string => `${upstream} ${address}`;

/**
 * The ledgers of all targets of the gateway. A ledger exists while a generation holds it. During a reload, the new
 * generation acquires it before the old one releases it.
 */
export class TargetLedgers {
  readonly knownAddresses = new AddressCache();
  readonly #clock: Clock;
  readonly #held = new Map<string, HeldLedger>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#held.size;
  }

  /**
   * Acquires the ledger of a target. Call `release` once for each call.
   *
   * @param address `host:port`
   * @param rules the rules of a new ledger; an existing one keeps its rules
   */
  acquire(upstream: string, address: string, rules: LedgerRules): TargetLedger {
    const key = keyOf(upstream, address);
    const known = this.#held.get(key);
    if (known !== undefined) {
      known.holders += 1;
      return known.ledger;
    }
    const ledger = new TargetLedger(rules, this.#clock);
    this.#held.set(key, { ledger, holders: 1 });
    return ledger;
  }

  release(upstream: string, address: string): void {
    const key = keyOf(upstream, address);
    const known = this.#held.get(key);
    if (known === undefined) return;
    known.holders -= 1;
    if (known.holders === 0) this.#held.delete(key);
  }
}
