/** One counter or gauge of an agent's MetricsReport. */
export interface ReportedValue {
  readonly name: string;
  readonly help: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ReportedHistogram {
  readonly name: string;
  readonly help: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly sum: number;
  readonly count: number;
  /** Cumulative; the last upper bound is Infinity. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
}

/** An agent's MetricsReport: totals since the agent started. */
export interface MetricsReport {
  readonly agentId: string;
  /** Milliseconds since the Unix epoch. */
  readonly timestampMs: number;
  readonly intervalMs: number;
  readonly counters: readonly ReportedValue[];
  readonly gauges: readonly ReportedValue[];
  readonly histograms: readonly ReportedHistogram[];
}
