import type {
  AgentConnection,
  AgentConnectionListener,
  AgentConnector,
  ConnectorCheck,
} from '../../../application/ports/gateway/agent-connector.js';
import type { Scheduler } from '../../../application/ports/shared/scheduler.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { LegacyAgentConnection } from './legacy-agent-connection.js';
import {
  defaultLegacyAgentConnectorOptions,
  type LegacyAgentConnectorOptions,
  type LegacyAgentConnectorSettings,
} from './legacy-connector-settings.js';
import { checkLegacySocket } from './legacy-socket-check.js';

/**
 * Reaches agents of the older framing (`protocol-version 1`) by their Unix socket: JSON behind a length, one call at a
 * time on each connection, and neither a handshake nor pings, cancels, health nor metrics.
 */
export class LegacyAgentConnector implements AgentConnector {
  readonly #settings: LegacyAgentConnectorSettings;
  readonly #options: LegacyAgentConnectorOptions;
  readonly #scheduler: Scheduler;

  constructor(
    settings: LegacyAgentConnectorSettings,
    { scheduler }: { readonly scheduler: Scheduler },
    options: Partial<LegacyAgentConnectorOptions> = {},
  ) {
    this.#settings = settings;
    this.#options = { ...defaultLegacyAgentConnectorOptions, ...options };
    this.#scheduler = scheduler;
  }

  check(): Promise<ConnectorCheck> {
    return checkLegacySocket(this.#settings.path, this.#settings.owner);
  }

  connect(config: JsonObject | null, listener: AgentConnectionListener): AgentConnection {
    return new LegacyAgentConnection(this.#settings, this.#options, config, this.#scheduler, listener);
  }
}
