/** What a run of one corpus came to. */
export interface CaseCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Failures that are printed in full for one corpus. */
const maxPrintedFailures = 50;

/** Cases between two lines of progress. */
const progressStep = 5_000;

/** Counts the cases of one corpus, and prints the first failures and the progress. */
export class CaseTally {
  #passed = 0;
  #skipped = 0;
  #failed = 0;
  readonly #corpus: string;
  readonly #print: (line: string) => void;

  constructor(corpus: string, print: (line: string) => void) {
    this.#corpus = corpus;
    this.#print = print;
  }

  get counts(): CaseCounts {
    return { passed: this.#passed, failed: this.#failed, skipped: this.#skipped };
  }

  pass(): void {
    this.#passed += 1;
    this.#printProgress();
  }

  skip(): void {
    this.#skipped += 1;
    this.#printProgress();
  }

  fail(name: string, difference: string): void {
    this.#failed += 1;
    if (this.#failed <= maxPrintedFailures) this.#print(`FAILED ${this.#corpus}: ${name}: ${difference}`);
    else if (this.#failed === maxPrintedFailures + 1)
      this.#print(`FAILED ${this.#corpus}: more failures are not printed`);
    this.#printProgress();
  }

  /** Passes where `difference` is null. */
  count(name: string, difference: string | null): void {
    if (difference === null) this.pass();
    else this.fail(name, difference);
  }

  #printProgress(): void {
    const done = this.#passed + this.#failed + this.#skipped;
    if (done % progressStep === 0) this.#print(`${this.#corpus}: ${done} cases ...`);
  }
}

export const formatCounts = ({ passed, failed, skipped }: CaseCounts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
