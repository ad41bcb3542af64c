/** What the reports of one configured agent may come to. Lengths in characters. */
export const agentMetricsLimits = {
  families: 64,
  /** Lines of the exposition: one for a counter or a gauge, one for each bucket of a histogram and two more. */
  lines: 512,
  nameLength: 128,
  labels: 8,
  labelValueLength: 128,
  buckets: 40,
  helpLength: 256,
  /** Agent ids whose last reports are remembered; only those that are gone make room. */
  agentIds: 16,
  agentIdLength: 256,
  /** Of one report: what comes after so many is counted, and not looked at. */
  faults: 1_000,
  /** Milliseconds between two reports of an agent id that are read. */
  readEveryMs: 1_000,
  /** Characters of a report, and buckets, that is held back since one was read just before. */
  heldSize: 131_072,
  /** A total of the wire is an unsigned integer of 64 bits. */
  total: 2 ** 64,
} as const;
