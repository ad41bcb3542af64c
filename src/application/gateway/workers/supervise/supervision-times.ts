/** How long the supervisor waits; milliseconds. */
export interface SupervisionTimes {
  /** From its order until a worker serves. */
  readonly startMs: number;
  readonly heartbeatEveryMs: number;
  /** Without an answer for so long a worker hangs. */
  readonly heartbeatDeadlineMs: number;
  /** For the last question before a worker that seems to hang is killed: it may be the supervisor that stood still. */
  readonly lastQuestionMs: number;
  /** From when all workers serve until the process is started that waits for an order: clients that have waited for them come first. */
  readonly firstSpareMs: number;
  /** For the process that waits for an order to answer before it gets one. */
  readonly spareMs: number;
  /** A worker that does not answer for so long fails a reload; one that does not come to serve meanwhile is not waited for. */
  readonly unansweredMs: number;
  /** Until all workers have prepared a configuration. */
  readonly prepareMs: number;
  readonly commitMs: number;
  /** For workers to give up what they have prepared; they do it later otherwise. */
  readonly abandonMs: number;
  /** After the grace of a drain: what was opened is closed, and the last log lines are written. */
  readonly endMs: number;
  /** For a killed process to be gone. */
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
