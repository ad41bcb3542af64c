import type { ReportedHistogram } from '../metrics-report.js';

export type MetricType = 'counter' | 'gauge' | 'histogram';

/** What every family of an agent is exposed under: this, then the name that the agent gave it. */
export const agentMetricPrefix = 'gateway_agent_';

export interface AgentSeries {
  /** The name of the agent in the gateway's configuration, exposed as the label `agent`. */
  readonly agent: string;
  /** Further labels. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface AgentValue extends AgentSeries {
  readonly value: number;
}

/** Buckets are cumulative; the last upper bound is Infinity, and its count that of all. */
export type AgentHistogram = AgentSeries & Pick<ReportedHistogram, 'sum' | 'buckets'>;

interface FamilyHead {
  /** As it is exposed. */
  readonly name: string;
  readonly help: string;
}

interface ValueFamily extends FamilyHead {
  readonly type: 'counter' | 'gauge';
  readonly series: readonly AgentValue[];
}

interface HistogramFamily extends FamilyHead {
  readonly type: 'histogram';
  readonly series: readonly AgentHistogram[];
}

/** A family of metrics that agents report, in the form in which it is exposed. */
export type AgentMetricFamily = ValueFamily | HistogramFamily;
