import type { LedgerRules, TargetLedger } from './target-ledger.js';
import type { TargetLedgers } from './target-ledgers.js';

/** Maximum ledgers of unused addresses, because a name can get new addresses without end. */
const maximumUnused = 256;

/** Host names are case-insensitive. */
const keyOf = (address: string): string => address.toLowerCase();

/** The ledgers that one upstream of one generation holds. */
export class AcquiredLedgers {
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
   * Applies the rules of this generation to its ledgers. INVARIANT: a generation that is no longer in force
   * holds no new ledgers.
   */
  activate(): void {
    this.#isInForce = true;
    for (const ledger of this.#held.values()) ledger.applyRules(this.#rules);
  }

  /** Returns the ledger of an address, and acquires it if the upstream does not hold it yet. */
  acquire(address: string): TargetLedger {
    const key = keyOf(address);
    const ledger = this.#held.get(key) ?? this.#open(key);
    // The map is in the order of last use.
    this.#held.delete(key);
    this.#held.set(key, ledger);
    return ledger;
  }

  /** The ledger of an address in use, or of one that was in use recently. */
  find(address: string): TargetLedger | undefined {
    return this.#held.get(keyOf(address));
  }

  /**
   * Releases ledgers of unused addresses above the limit, the least recently used first.
   *
   * @param used the addresses in use
   */
  trim(used: readonly string[]): void {
    const keys = new Set(used.map(keyOf));
    const unused = [...this.#held.keys()].filter((key) => !keys.has(key));
    for (const key of unused.slice(0, Math.max(0, unused.length - maximumUnused))) this.#release(key);
  }

  releaseAll(): void {
    for (const key of [...this.#held.keys()]) this.#release(key);
  }

  #open(key: string): TargetLedger {
    const ledger = this.#ledgers.acquire(this.#upstream, key, this.#rules);
    // A generation that is not yet in force may have created the ledger, with its own rules.
    if (this.#isInForce) ledger.applyRules(this.#rules);
    return ledger;
  }

  #release(key: string): void {
    this.#held.delete(key);
    this.#ledgers.release(this.#upstream, key);
  }
}
