import type { Finding } from './findings.js';
import { heapSize } from './heap-size.js';

/** What a heap may be larger at the end: tables with a bound fill up, and what is under way is in it. */
const tolerableGrowth = 8 * 1_048_576;

/** Whether memory grows with the cases that are tried. */
export class Growth {
  readonly #settledCases: number;
  readonly #settledMs: number;
  #before = -1;
  #beforeCases = 0;

  /**
   * @param settledCases so many until everything that is remembered once, and compiled code, is there
   * @param settledMs and so long, by the monotonic clock
   */
  constructor(settledCases: number, settledMs: number) {
    this.#settledCases = settledCases;
    this.#settledMs = settledMs;
  }

  /** To be called now and then, with the cases that were tried. */
  look(cases: number): void {
    if (this.#before >= 0 || cases < this.#settledCases || performance.now() < this.#settledMs) return;
    this.#before = heapSize();
    this.#beforeCases = cases;
  }

  /** What the run has shown, as a line for its report and, where memory has grown, a finding. */
  conclude(cases: number): { readonly told: string; readonly finding: Finding | null } {
    if (this.#before < 0) return { told: 'too few cases to tell whether memory grows', finding: null };
    const growth = heapSize() - this.#before;
    const told = `${growth} octets of heap more behind ${cases - this.#beforeCases} more cases`;
    if (growth <= tolerableGrowth) return { told, finding: null };
    return { told, finding: { what: 'the heap grows', input: '', ours: told, theirs: '' } };
  }
}
