/** Address of an agent, and the gateway's identity in the handshake. */
export interface SocketAgentConnectorConfiguration {
  readonly path: string;
  /** User name or id that may own the socket, besides the gateway's user and root. */
  readonly owner: string | null;
  readonly proxyId: string;
  readonly proxyVersion: string;
}

/** Options with defaults. Times in milliseconds, sizes in octets. */
export interface SocketAgentConnectorOptions {
  /** Time from the connection attempt to the handshake answer. */
  readonly handshakeTimeoutMs: number;
  /** Time for the answer to a Configure message. */
  readonly configureTimeoutMs: number;
  /** Interval between pings. If nothing arrives in one interval, the connection ends. */
  readonly pingIntervalMs: number;
  /** Pending output above which a connection is busy. */
  readonly busyOutputBytes: number;
}

export const defaultSocketAgentConnectorOptions: SocketAgentConnectorOptions = {
  handshakeTimeoutMs: 5_000,
  configureTimeoutMs: 10_000,
  pingIntervalMs: 5_000,
  busyOutputBytes: 1_048_576,
};
