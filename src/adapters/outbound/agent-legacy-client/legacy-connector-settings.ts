import type { AgentSubscription } from '../../../domain/gateway/configuration/gateway-configuration.js';

/** What a LegacyAgentConnector has to be told. */
export interface LegacyAgentConnectorSettings {
  /** The agent's name in the gateway's configuration, and its id: these agents say none of their own. */
  readonly name: string;
  readonly path: string;
  /** User name or user id that may own the socket, beside the gateway's own user and root. */
  readonly owner: string | null;
  /** What its block subscribes it to: these agents do not say what they support. */
  readonly events: readonly AgentSubscription[];
}

/** What has a value that fits most. */
export interface LegacyAgentConnectorOptions {
  /** From the attempt to connect to the answer to the configuration, in milliseconds. */
  readonly handshakeTimeoutMs: number;
}

export const defaultLegacyAgentConnectorOptions: LegacyAgentConnectorOptions = { handshakeTimeoutMs: 5_000 };
