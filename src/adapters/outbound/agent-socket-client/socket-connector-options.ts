/** What a SocketAgentConnector has to be told. */
export interface SocketAgentConnectorSettings {
  readonly path: string;
  /** User name or user id that may own the socket, beside the gateway's own user and root. */
  readonly owner: string | null;
  readonly proxyId: string;
  readonly proxyVersion: string;
}

/** What has a value that fits most. Times in milliseconds, sizes in octets. */
export interface SocketAgentConnectorOptions {
  /** From the attempt to connect to the answer to the handshake. */
  readonly handshakeTimeoutMs: number;
  /** For the answer to a Configure message. */
  readonly configureTimeoutMs: number;
  /** Between two pings. An agent that sends nothing at all from one to the next is taken for dead. */
  readonly pingIntervalMs: number;
  /** Output that waits on a connection, from which on it is busy. */
  readonly busyOutputBytes: number;
}

export const defaultSocketAgentConnectorOptions: SocketAgentConnectorOptions = {
  handshakeTimeoutMs: 5_000,
  configureTimeoutMs: 10_000,
  pingIntervalMs: 5_000,
  busyOutputBytes: 1_048_576,
};
