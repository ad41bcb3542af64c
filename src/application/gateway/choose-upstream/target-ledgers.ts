import type { Clock } from '../../ports/shared/clock.js';
import { KnownAddresses } from './host-lookups.js';
import { type LedgerRules, TargetLedger } from './target-ledger.js';

interface HeldLedger {
  readonly ledger: TargetLedger;
  /** Upstreams of generations that use it. */
  holders: number;
}

const keyOf = (upstream: string, address: string): string => `${upstream} ${address}`;

/**
 * The ledgers of all targets, one for the gateway. Each is kept for as long as some generation holds it: over a
 * reload the new one takes it up before the old one lets go.
 */
export class TargetLedgers {
  readonly knownAddresses = new KnownAddresses();
  readonly #clock: Clock;
  readonly #held = new Map<string, HeldLedger>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#held.size;
  }

  /**
   * To be released as often as it is acquired.
   *
   * @param address `host:port`
   * @param rules of a ledger that is begun; one that there is goes on by its own
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
