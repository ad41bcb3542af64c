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
  /** Agent ids whose last reports are remembered; those that are gone make room first. */
  agentIds: 16,
  agentIdLength: 256,
  /** A total of the wire is an unsigned integer of 64 bits. */
  total: 2 ** 64,
} as const;
