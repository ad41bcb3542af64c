import type { AgentConfiguration } from '../../domain/configuration/gateway-configuration.js';
import { err, ok, type Result } from '../../domain/shared/result.js';
import type { AgentClient, AgentClientFactory } from '../ports/agent-client.js';
import type { Logger } from '../ports/logger.js';

interface RegisteredAgent {
  readonly configuration: AgentConfiguration;
  readonly client: AgentClient;
}

/** Agents that a new configuration will use, some of them new. Nothing has changed for the running ones yet. */
export interface PreparedAgents {
  readonly clients: ReadonlyMap<string, AgentClient>;
  /** Makes these the agents, and hands changed configurations over. Gives back those that are no longer used. */
  commit(): readonly AgentClient[];
  /** Forgets what was made. */
  abandon(): Promise<void>;
}

/** Everything of an agent block that a running client cannot change. */
const connectionKey = ({ config: _config, ...rest }: AgentConfiguration, maxQueueDepth: number): string =>
  JSON.stringify([rest, maxQueueDepth]);

const configKey = ({ config }: AgentConfiguration): string => JSON.stringify(config);

/** The agents' clients, which outlive the configuration that first named them. */
export class AgentRegistry {
  readonly #create: AgentClientFactory;
  readonly #logger: Logger;
  #agents: ReadonlyMap<string, RegisteredAgent> = new Map();
  #maxQueueDepth = 0;

  constructor(create: AgentClientFactory, logger: Logger) {
    this.#create = create;
    this.#logger = logger;
  }

  clients(): readonly AgentClient[] {
    return [...this.#agents.values()].map(({ client }) => client);
  }

  /**
   * Makes what a configuration needs beyond what there is. An embedded agent is made anew each time, so that it reads
   * its files again, and has to take its config here and now: an error is its reason for refusing it, and leaves
   * everything as it was.
   */
  async prepare(
    configurations: readonly AgentConfiguration[],
    maxQueueDepth: number,
  ): Promise<Result<PreparedAgents, string>> {
    const next = new Map<string, RegisteredAgent>();
    const made: AgentClient[] = [];
    const abandon = async () => {
      await Promise.all(made.map((client) => client.stop(0)));
    };
    for (const configuration of configurations) {
      const { name, transport, config } = configuration;
      const present = this.#present(configuration, maxQueueDepth);
      const client = present?.client ?? this.#create(configuration, maxQueueDepth);
      if (!present) made.push(client);
      next.set(name, { configuration, client });
      if (transport.kind !== 'embedded') continue;
      const taken = await client.configure(config);
      if (!taken.ok) {
        await abandon();
        return err(`the agent "${name}" refuses its configuration: ${taken.error}`);
      }
    }
    return ok({
      clients: new Map([...next].map(([name, { client }]) => [name, client])),
      commit: () => this.#commit(next, made, maxQueueDepth),
      abandon,
    });
  }

  #present(configuration: AgentConfiguration, maxQueueDepth: number): RegisteredAgent | null {
    const present = this.#agents.get(configuration.name);
    if (!present || configuration.transport.kind === 'embedded') return null;
    const same =
      connectionKey(present.configuration, this.#maxQueueDepth) === connectionKey(configuration, maxQueueDepth);
    return same ? present : null;
  }

  #commit(
    next: ReadonlyMap<string, RegisteredAgent>,
    made: readonly AgentClient[],
    maxQueueDepth: number,
  ): readonly AgentClient[] {
    const previous = this.#agents;
    this.#agents = next;
    this.#maxQueueDepth = maxQueueDepth;
    for (const client of made) client.start();
    for (const [name, { client, configuration }] of next) {
      const before = previous.get(name);
      if (before?.client !== client) continue;
      if (configKey(before.configuration) !== configKey(configuration)) void this.#push(client, configuration);
    }
    const kept = new Set([...next.values()].map(({ client }) => client));
    return [...previous.values()].map(({ client }) => client).filter((client) => !kept.has(client));
  }

  async #push(client: AgentClient, { name, config }: AgentConfiguration): Promise<void> {
    const taken = await client.configure(config);
    if (taken.ok) this.#logger.info('the agent has taken its new configuration', { agent: name });
    else this.#logger.error('the agent refuses its new configuration', { agent: name, reason: taken.error });
  }
}
