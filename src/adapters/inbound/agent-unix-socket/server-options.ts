import {
  defaultSessionOptions,
  type SessionOptions,
} from '../../../application/agent/serve-gateways/gateway-connection.js';

/** How the agent serves its socket. Times in milliseconds, sizes in octets. */
export interface AgentServerOptions extends SessionOptions {
  /** From the first octet of a frame to its last. */
  readonly frameTimeoutMs: number;
  readonly maxConnections: number;
  /** Output that waits, from which on nothing more is read from the connection. */
  readonly pausingOutputBytes: number;
  /** Output that waits, from which on the connection is closed. */
  readonly maxOutputBytes: number;
}

export const defaultAgentServerOptions: AgentServerOptions = {
  ...defaultSessionOptions,
  frameTimeoutMs: 30_000,
  maxConnections: 256,
  pausingOutputBytes: 262_144,
  maxOutputBytes: 20 * 1_048_576,
};
