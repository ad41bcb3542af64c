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
  type LegacyAgentConnectorConfiguration,
  type LegacyAgentConnectorOptions,
} from './legacy-connector-options.js';
import { checkLegacySocket } from './legacy-socket-check.js';

/**
 * Connects to agents of the legacy framing (`protocol-version 1`) over a Unix socket:
 * length-prefixed JSON, one call at a time per connection, without handshake, pings, cancellation,
 * health or metrics.
 */
export class LegacyAgentConnector implements AgentConnector {
  readonly #settings: LegacyAgentConnectorConfiguration;
  readonly #options: LegacyAgentConnectorOptions;
  readonly #scheduler: Scheduler;

  constructor(
    settings: LegacyAgentConnectorConfiguration,
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
