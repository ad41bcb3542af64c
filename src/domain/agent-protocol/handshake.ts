import type { JsonValue } from '../shared/json.js';
import type { AgentCapabilities } from './capabilities.js';

/** The only protocol version of connections with a handshake. */
export const agentProtocolVersion = 2;

/** The first message of the gateway on a connection. */
export interface HandshakeRequest {
  readonly supportedVersions: readonly number[];
  readonly proxyId: string;
  readonly proxyVersion: string;
  /** The `config` of the agent block; agents accept only objects and null. */
  readonly config: JsonValue;
  /** Empty means JSON. */
  readonly supportedEncodings: readonly string[];
}

/** The response of the agent. */
export type HandshakeResponse =
  | { readonly success: true; readonly protocolVersion: number; readonly capabilities: AgentCapabilities }
  /** `error` is safe to log. */
  | { readonly success: false; readonly protocolVersion: number; readonly error: string };
