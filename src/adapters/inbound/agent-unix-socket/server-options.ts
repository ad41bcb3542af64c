import {
  defaultSessionOptions,
  type SessionOptions,
} from '../../../application/agent/serve-gateways/gateway-connection.js';

/** Limits of the agent's socket server. Times in milliseconds, sizes in octets. */
export interface AgentServerOptions extends SessionOptions {
  /** From the first octet of a frame to its last. */
  readonly frameTimeoutMs: number;
  readonly maxConnections: number;
  /** Pending output above which a connection is not read. */
  readonly pausingOutputBytes: number;
  /** Pending output above which a connection is closed. */
  readonly maxOutputBytes: number;
}

export const defaultAgentServerOptions: AgentServerOptions = {
  ...defaultSessionOptions,
  frameTimeoutMs: 30_000,
  maxConnections: 256,
  pausingOutputBytes: 262_144,
  maxOutputBytes: 20 * 1_048_576,
};
