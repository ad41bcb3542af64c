import type { JsonValue } from '../shared/json.js';
import type { AgentCapabilities } from './capabilities.js';

/** The only version that both ends of ours speak over a connection with a handshake. */
export const agentProtocolVersion = 2;

/** What the gateway opens a connection with. */
export interface HandshakeRequest {
  readonly supportedVersions: readonly number[];
  readonly proxyId: string;
  readonly proxyVersion: string;
  /** The agent block's `config`; an agent takes objects and null only. */
  readonly config: JsonValue;
  /** Empty where the gateway names none, which means JSON. */
  readonly supportedEncodings: readonly string[];
}

/** The agent's answer to it. */
export type HandshakeResponse =
  | { readonly success: true; readonly protocolVersion: number; readonly capabilities: AgentCapabilities }
  /** `error` says why, fit to be logged. */
  | { readonly success: false; readonly protocolVersion: number; readonly error: string };
