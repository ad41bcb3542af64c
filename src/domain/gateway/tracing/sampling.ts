import type { TraceContext } from '../../http/trace-context.js';

/** What decides whether a request is recorded. */
export interface SamplingFacts {
  /** What the caller says of its own trace; null where it says nothing. */
  readonly parent: TraceContext | null;
  /** The peer of the connection is in `trusted-proxies`. */
  readonly isPeerTrusted: boolean;
  /** Part of the requests that is recorded, 0 to 1. */
  readonly ratio: number;
}

/**
 * Whether a request is recorded. A caller that is trusted has decided it for the whole trace. Of anybody else the
 * flag is not believed: it would let every client fill the collector, or keep out of it. `fraction` is chance: 0 to
 * below 1.
 */
export const isRecorded = ({ parent, isPeerTrusted, ratio }: SamplingFacts, fraction: number): boolean =>
  parent !== null && isPeerTrusted ? parent.isSampled : fraction < ratio;
