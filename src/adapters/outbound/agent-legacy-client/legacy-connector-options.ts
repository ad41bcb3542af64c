import type { AgentSubscription } from '../../../domain/gateway/configuration/gateway-configuration.js';

/** Address and identity of a legacy agent. */
export interface LegacyAgentConnectorConfiguration {
  /**
   * The agent's name in the gateway's configuration. Serves as its id: legacy agents announce none.
   */
  readonly name: string;
  readonly path: string;
  /** User name or id that may own the socket, besides the gateway's user and root. */
  readonly owner: string | null;
  /** Events from the agent's block: legacy agents do not announce any. */
  readonly events: readonly AgentSubscription[];
}

/** Options with defaults. */
export interface LegacyAgentConnectorOptions {
  /** Time from the connection attempt to the answer to the configuration, in milliseconds. */
  readonly handshakeTimeoutMs: number;
}

export const defaultLegacyAgentConnectorOptions: LegacyAgentConnectorOptions = { handshakeTimeoutMs: 5_000 };
