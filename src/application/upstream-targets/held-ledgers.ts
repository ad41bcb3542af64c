import type { TargetLedger } from './target-ledger.js';
import type { TargetLedgers } from './target-ledgers.js';

/** Ledgers of addresses that no target has at the moment: names give other addresses again and again. */
const maximumUnused = 256;

/** The ledgers that one upstream of one generation holds. */
export class HeldLedgers {
  readonly #ledgers: TargetLedgers;
  readonly #upstream: string;
  readonly #held = new Map<string, TargetLedger>();

  constructor(ledgers: TargetLedgers, upstream: string) {
    this.#ledgers = ledgers;
    this.#upstream = upstream;
  }

  /** That of an address which is used from now on. */
  hold(address: string): TargetLedger {
    const ledger = this.#held.get(address) ?? this.#ledgers.acquire(this.#upstream, address);
    // The one that was taken up longest ago comes first.
    this.#held.delete(address);
    this.#held.set(address, ledger);
    return ledger;
  }

  /** That of an address which is used, or was so not long ago. */
  find(address: string): TargetLedger | undefined {
    return this.#held.get(address);
  }

  /** Lets go of what has not been used for longest, where that is too much. */
  trim(isUsed: (address: string) => boolean): void {
    const unused = [...this.#held.keys()].filter((address) => !isUsed(address));
    for (const address of unused.slice(0, Math.max(0, unused.length - maximumUnused))) this.#release(address);
  }

  releaseAll(): void {
    for (const address of [...this.#held.keys()]) this.#release(address);
  }

  #release(address: string): void {
    this.#held.delete(address);
    this.#ledgers.release(this.#upstream, address);
  }
}
