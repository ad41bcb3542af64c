import { defaultReconnectBackoff, type ReconnectBackoff } from '../../../domain/agent-protocol/reconnect-backoff.js';
import type { JsonObject } from '../../../domain/shared/json.js';

/** What an AgentSocketClient has to be told. Times in milliseconds. */
export interface AgentSocketClientSettings {
  /** The agent's name in the gateway's configuration. */
  readonly name: string;
  readonly path: string;
  /** User name or user id that may own the socket, beside the gateway's own user and root. */
  readonly owner: string | null;
  /** For a call, the wait for a free place included. */
  readonly timeoutMs: number;
  /** Calls that may wait for a free place. */
  readonly maxQueueDepth: number;
  /** Handed over in the handshake. */
  readonly config: JsonObject | null;
  readonly proxyId: string;
  readonly proxyVersion: string;
}

/** What has a value that fits most. Times in milliseconds, sizes in octets. */
export interface AgentSocketClientOptions {
  readonly connections: number;
  /** From the attempt to connect to the answer to the handshake. */
  readonly handshakeTimeoutMs: number;
  /** For the answer to a Configure message. */
  readonly configureTimeoutMs: number;
  /** Between two pings. An agent that sends nothing at all from one to the next is taken for dead. */
  readonly pingIntervalMs: number;
  readonly backoff: ReconnectBackoff;
  /** A connection that held so long makes the next wait short again. */
  readonly steadyAfterMs: number;
  /** Output that waits on a connection, from which on it gets no new call. */
  readonly busyOutputBytes: number;
}

export const defaultAgentSocketClientOptions: AgentSocketClientOptions = {
  connections: 4,
  handshakeTimeoutMs: 5_000,
  configureTimeoutMs: 10_000,
  pingIntervalMs: 5_000,
  backoff: defaultReconnectBackoff,
  steadyAfterMs: 10_000,
  busyOutputBytes: 1_048_576,
};
