/** Timeouts and intervals of the supervisor, in milliseconds. */
export interface SupervisionTimes {
  /** Timeout for a worker to prepare, and again to begin serving. */
  readonly startMs: number;
  readonly heartbeatEveryMs: number;
  /** Timeout of a heartbeat. A worker that exceeds it hangs. */
  readonly heartbeatDeadlineMs: number;
  /** Timeout of the last heartbeat before a kill: the supervisor itself may have been suspended. */
  readonly lastHeartbeatMs: number;
  /** Delay from the start of all workers to that of the spare process: waiting clients come first. */
  readonly firstSpareDelayMs: number;
  /** Timeout of the spare process's heartbeat before it gets an order. */
  readonly spareHeartbeatMs: number;
  /**
   * Timeout of a heartbeat during a reload; a worker that exceeds it fails the reload. A reload also waits at most this
   * long for starting workers.
   */
  readonly reloadHeartbeatMs: number;
  /** Timeout for workers to prepare a configuration. */
  readonly prepareMs: number;
  /** Timeout for workers to commit a configuration. */
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
  lastHeartbeatMs: 2_000,
  firstSpareDelayMs: 5_000,
  spareHeartbeatMs: 1_000,
  reloadHeartbeatMs: 10_000,
  prepareMs: 60_000,
  commitMs: 10_000,
  abandonMs: 2_000,
  // Connections to upstreams 1 s, spans 2 s, log lines 2 s.
  endMs: 6_000,
  killedMs: 2_000,
};
