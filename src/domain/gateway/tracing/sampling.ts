import type { TraceContext } from '../../http/trace-context.js';

/** The inputs of the sampling decision. */
export interface SamplingInputs {
  /** The trace context of the caller; null: none. */
  readonly parent: TraceContext | null;
  /** The peer of the connection is in `trusted-proxies`. */
  readonly isPeerTrusted: boolean;
  /** Fraction of requests to record, 0 to 1. */
  readonly ratio: number;
}

/**
 * Whether to record a request. A trusted caller decides for the whole trace. The gateway ignores the flag of other
 * callers, who could flood the collector or hide from it. `fraction` is random, from 0 to below 1.
 */
export const isRecorded = ({ parent, isPeerTrusted, ratio }: SamplingInputs, fraction: number): boolean =>
  parent !== null && isPeerTrusted ? parent.isSampled : fraction < ratio;
