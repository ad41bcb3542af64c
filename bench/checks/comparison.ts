/** One way to judge something, ready to be measured. */
export interface Check {
  /** Judges once; rejects or throws where the outcome is not the expected one. */
  run(index: number): unknown;
  /** What one run counts for; 1 where it is missing. */
  readonly callsPerRun?: number;
}

/** What is compared: everything that gives the same judgement. The first row is what the ratios are against. */
export interface Comparison {
  readonly name: string;
  readonly describes: string;
  readonly rows: readonly Row[];
}

export interface Row {
  readonly name: string;
  readonly describes: string;
  readonly check: Check;
}

/** Comparisons and what has to be ended after them. */
export interface PreparedComparisons {
  readonly comparisons: readonly Comparison[];
  /** What the preparation found, for the report. */
  readonly remarks?: readonly string[];
  stop(): Promise<void>;
}
