/** How the agent serves its socket. Times in milliseconds, sizes in octets. */
export interface AgentServerOptions {
  /** Between two health reports; changes of state are reported at once. */
  readonly healthIntervalMs: number;
  readonly metricsIntervalMs: number;
  /** From the connection to its handshake request. */
  readonly handshakeTimeoutMs: number;
  /** From the first octet of a frame to its last. */
  readonly frameTimeoutMs: number;
  readonly maxConnections: number;
  /** What all connections together may hold of unfinished frames and of events that wait. */
  readonly maxHeldBytes: number;
  /** Output that waits, from which on nothing more is read from the connection. */
  readonly pausingOutputBytes: number;
  /** Output that waits, from which on the connection is closed. */
  readonly maxOutputBytes: number;
  /** How long output may wait for a peer that does not read. */
  readonly writeTimeoutMs: number;
  /** How long an idle connection is kept while draining, for what the gateway has already sent. */
  readonly drainLingerMs: number;
}

export const defaultAgentServerOptions: AgentServerOptions = {
  healthIntervalMs: 5_000,
  metricsIntervalMs: 10_000,
  handshakeTimeoutMs: 5_000,
  frameTimeoutMs: 30_000,
  maxConnections: 256,
  maxHeldBytes: 64 * 1_048_576,
  pausingOutputBytes: 262_144,
  maxOutputBytes: 20 * 1_048_576,
  writeTimeoutMs: 30_000,
  drainLingerMs: 250,
};
