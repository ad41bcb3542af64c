/** Timeouts and intervals of the supervisor, in milliseconds. */
export interface SupervisionTimes {
  /** From its order until a worker serves. */
  readonly startMs: number;
  readonly heartbeatEveryMs: number;
  /** A worker that does not answer a heartbeat within it hangs. */
  readonly heartbeatDeadlineMs: number;
  /** Timeout of the last heartbeat before a kill: the supervisor itself may have been suspended. */
  readonly lastQuestionMs: number;
  /** Delay between the start of all workers and of the spare process: waiting clients come first. */
  readonly firstSpareMs: number;
  /** Timeout of the spare process's heartbeat before it gets an order. */
  readonly spareMs: number;
  /**
   * A worker that does not answer within it fails a reload. A reload also waits at most this long for starting
   * workers.
   */
  readonly unansweredMs: number;
  /** Until all workers have prepared a configuration. */
  readonly prepareMs: number;
  readonly commitMs: number;
  /** Timeout for workers to abandon what they prepared; a late worker abandons it later. */
  readonly abandonMs: number;
  /** Added to the grace of a drain: closes what is open, and writes the last log lines. */
  readonly endMs: number;
  /** Timeout for a killed process to end. */
  readonly killedMs: number;
}

export const supervisionTimes: SupervisionTimes = {
  startMs: 120_000,
  heartbeatEveryMs: 5_000,
  heartbeatDeadlineMs: 30_000,
  lastQuestionMs: 2_000,
  firstSpareMs: 5_000,
  spareMs: 1_000,
  unansweredMs: 10_000,
  prepareMs: 60_000,
  commitMs: 10_000,
  abandonMs: 2_000,
  // Connections to upstreams 1 s, spans 2 s, log lines 2 s.
  endMs: 6_000,
  killedMs: 2_000,
};
