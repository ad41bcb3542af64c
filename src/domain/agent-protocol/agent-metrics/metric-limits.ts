/** Limits for the reports of one configured agent. Lengths are in characters. */
export const agentMetricsLimits = {
  families: 64,
  /** Lines of the exposition: one for a counter or gauge; for a histogram one for each bucket and two more. */
  lines: 512,
  nameLength: 128,
  labels: 8,
  labelValueLength: 128,
  buckets: 40,
  helpLength: 256,
  /** Agent ids with stored reports. Only ended ones are evicted. */
  agentIds: 16,
  agentIdLength: 256,
  /** Faults in one report. The rest is counted as dropped and not read. */
  faults: 1_000,
  /** Minimum milliseconds between two reports that are read, by agent id. */
  readEveryMs: 1_000,
  /** Largest size, in characters and buckets, of a report that is held back. */
  heldSize: 131_072,
  /** The wire uses unsigned 64-bit integers. */
  total: 2 ** 64,
} as const;
