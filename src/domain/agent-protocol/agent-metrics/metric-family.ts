import type { ReportedHistogram } from '../metrics-report.js';

export type MetricType = 'counter' | 'gauge' | 'histogram';

/** The prefix of every exposed family of an agent. */
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

/** Buckets are cumulative. The last upper bound is Infinity, with the total count. */
export type AgentHistogram = AgentSeries & Pick<ReportedHistogram, 'sum' | 'buckets'>;

interface FamilyHead {
  /** The exposed name. */
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

/** A family of agent metrics, ready for exposition. */
export type AgentMetricFamily = ValueFamily | HistogramFamily;
