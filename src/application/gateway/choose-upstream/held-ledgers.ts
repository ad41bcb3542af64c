import type { LedgerRules, TargetLedger } from './target-ledger.js';
import type { TargetLedgers } from './target-ledgers.js';

/** Ledgers of addresses that no target has at the moment: names give other addresses again and again. */
const maximumUnused = 256;

/** Names of hosts know no case. */
const keyOf = (address: string): string => address.toLowerCase();

/** The ledgers that one upstream of one generation holds. */
export class HeldLedgers {
  readonly #ledgers: TargetLedgers;
  readonly #upstream: string;
  readonly #rules: LedgerRules;
  #isInForce = false;
  readonly #held = new Map<string, TargetLedger>();

  constructor(ledgers: TargetLedgers, upstream: string, rules: LedgerRules) {
    this.#ledgers = ledgers;
    this.#upstream = upstream;
    this.#rules = rules;
  }

  /**
   * The generation is in force: its rules hold for all that it holds. INVARIANT: it holds nothing more once it is
   * not.
   */
  takeOver(): void {
    this.#isInForce = true;
    for (const ledger of this.#held.values()) ledger.goBy(this.#rules);
  }

  /** That of an address which is used from now on. */
  hold(address: string): TargetLedger {
    const key = keyOf(address);
    const ledger = this.#held.get(key) ?? this.#acquire(key);
    // The one that was taken up longest ago comes first.
    this.#held.delete(key);
    this.#held.set(key, ledger);
    return ledger;
  }

  /** That of an address which is used, or was so not long ago. */
  find(address: string): TargetLedger | undefined {
    return this.#held.get(keyOf(address));
  }

  /** Lets go of what has not been used for longest, where that is too much. */
  trim(used: readonly string[]): void {
    const keys = new Set(used.map(keyOf));
    const unused = [...this.#held.keys()].filter((key) => !keys.has(key));
    for (const key of unused.slice(0, Math.max(0, unused.length - maximumUnused))) this.#release(key);
  }

  releaseAll(): void {
    for (const key of [...this.#held.keys()]) this.#release(key);
  }

  #acquire(key: string): TargetLedger {
    const ledger = this.#ledgers.acquire(this.#upstream, key, this.#rules);
    // One that is not in force yet may have begun it.
    if (this.#isInForce) ledger.goBy(this.#rules);
    return ledger;
  }

  #release(key: string): void {
    this.#held.delete(key);
    this.#ledgers.release(this.#upstream, key);
  }
}
