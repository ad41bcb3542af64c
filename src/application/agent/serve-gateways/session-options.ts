/** How an agent serves gateways, whatever the transport. Times in milliseconds, sizes in octets. */
export interface SessionOptions {
  /** Between two health reports; changes of state are reported at once. */
  readonly healthIntervalMs: number;
  readonly metricsIntervalMs: number;
  /** From the connection to its handshake request. */
  readonly handshakeTimeoutMs: number;
  /** What all connections of one server together may hold of unfinished messages and of events that wait. */
  readonly maxHeldBytes: number;
  /** How long output may wait for a peer that does not read. */
  readonly writeTimeoutMs: number;
  /** How long an idle connection is kept while draining, for what the gateway has already sent. */
  readonly drainLingerMs: number;
}

export const defaultSessionOptions: SessionOptions = {
  healthIntervalMs: 5_000,
  metricsIntervalMs: 10_000,
  handshakeTimeoutMs: 5_000,
  maxHeldBytes: 64 * 1_048_576,
  writeTimeoutMs: 30_000,
  drainLingerMs: 250,
};
