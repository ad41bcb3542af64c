import type {
  AgentConnection,
  AgentConnectionListener,
  AgentConnector,
  ConnectorCheck,
} from '../../../application/ports/gateway/agent-connector.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Scheduler } from '../../../application/ports/shared/scheduler.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { SocketLayerSelector } from '../../stream-sockets/socket-layer-selector.js';
import { AnswerCache } from '../../wire/agent-frames/answer-cache/answer-cache.js';
import { HeadWriter } from '../../wire/agent-frames/head-writer.js';
import { SocketAgentConnection } from './socket-agent-connection.js';
import {
  defaultSocketAgentConnectorOptions,
  type SocketAgentConnectorConfiguration,
  type SocketAgentConnectorOptions,
} from './socket-connector-options.js';
import { checkSocketOwner } from './socket-owner.js';

/** The ports of the connector, and the socket layer of new connections. */
export interface SocketAgentConnectorServices {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly layers: SocketLayerSelector;
}

/** Connects to an agent over its Unix socket (agent protocol v2). */
export class SocketAgentConnector implements AgentConnector {
  readonly #settings: SocketAgentConnectorConfiguration;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #layers: SocketLayerSelector;
  readonly #options: SocketAgentConnectorOptions;
  readonly #known = new AnswerCache();
  readonly #heads = new HeadWriter();

  constructor(
    settings: SocketAgentConnectorConfiguration,
    { clock, scheduler, layers }: SocketAgentConnectorServices,
    options: Partial<SocketAgentConnectorOptions> = {},
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#layers = layers;
    this.#options = { ...defaultSocketAgentConnectorOptions, ...options };
  }

  async check(): Promise<ConnectorCheck> {
    const { path, owner } = this.#settings;
    const check = await checkSocketOwner(path, owner);
    switch (check.kind) {
      case 'trusted':
        return { kind: 'ready' };
      case 'absent':
        return { kind: 'absent', detail: `there is no socket ${path}` };
      case 'refused':
        return { kind: 'refused', detail: `the socket ${path} is not trusted: ${check.reason}` };
    }
  }

  connect(config: JsonObject | null, listener: AgentConnectionListener): AgentConnection {
    return new SocketAgentConnection(
      {
        settings: this.#settings,
        options: this.#options,
        clock: this.#clock,
        scheduler: this.#scheduler,
        layers: this.#layers,
        known: this.#known,
        heads: this.#heads,
      },
      config,
      listener,
    );
  }
}
