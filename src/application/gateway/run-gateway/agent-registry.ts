import { grpcAddressText } from '../../../domain/configuration/schema/grpc-address.js';
import type { AgentConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type {
  AgentClient,
  AgentClientFactory,
  AgentClientLimits,
  ConfigureOutcome,
} from '../../ports/gateway/agent-client.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { AgentReports } from '../ask-agents/reports/agent-reports.js';
import { DeclaredHeaderNames } from '../proxy-request/stages/prepare-headers.js';

interface RegisteredAgent {
  readonly configuration: AgentConfiguration;
  readonly client: AgentClient;
}

/** The agents of a new configuration. Running agents are unchanged until `commit`. */
export interface PreparedAgents {
  readonly clients: ReadonlyMap<string, AgentClient>;
  /**
   * Puts these agents in force and delivers their configurations. Returns the clients that are no longer used. They are
   * retired; stop them after their last call.
   */
  commit(): readonly AgentClient[];
  /** Stops the clients that were made. */
  abandon(): Promise<void>;
}

/** The most characters of an agent's text in the log. */
const maximumReasonLength = 500;

/** The settings of an agent block that a running client cannot change. */
const connectionKey = (
  { config: _config, admin, ...rest }: AgentConfiguration,
  limits: AgentClientLimits | null,
): string => JSON.stringify([rest, admin?.address, admin?.token.reveal(), limits]);

const configKey = ({ config }: AgentConfiguration): string => JSON.stringify(config);

/** The clients of agents, which outlive the configuration that first named them. */
export class AgentRegistry {
  readonly #create: AgentClientFactory;
  readonly #logger: Logger;
  /** The metrics that the agents report. */
  readonly metrics: AgentReports;
  /** The header names that the agents in use declare. */
  readonly declaredHeaders = new DeclaredHeaderNames();
  #agents: ReadonlyMap<string, RegisteredAgent> = new Map();
  #limits: AgentClientLimits | null = null;

  /** @param metrics receives the reports of the agents */
  constructor(create: AgentClientFactory, metrics: AgentReports, logger: Logger) {
    this.#create = create;
    this.metrics = metrics;
    this.#logger = logger;
  }

  clients(): readonly AgentClient[] {
    return [...this.#agents.values()].map(({ client }) => client);
  }

  /**
   * Makes the clients that a configuration needs in addition. An embedded agent is made anew each time, so that it
   * reads its files again, and must accept its configuration at once. An error is its reason for a refusal, and changes
   * nothing.
   */
  async prepare(
    configurations: readonly AgentConfiguration[],
    limits: AgentClientLimits,
  ): Promise<Result<PreparedAgents, string>> {
    const next = new Map<string, RegisteredAgent>();
    const made: AgentClient[] = [];
    const abandon = async () => {
      await Promise.all(made.map((client) => client.stop(0)));
    };
    for (const configuration of configurations) {
      const { name, transport, config } = configuration;
      const current = this.#reusable(configuration, limits);
      const client = current?.client ?? (await this.#make(configuration, limits));
      if (!current) made.push(client);
      next.set(name, { configuration, client });
      if (transport.kind !== 'embedded') continue;
      const taken = await client.configure(config);
      if (!taken.ok) {
        await abandon();
        return err(
          `the agent "${name}" refuses its configuration: ${taken.error.reason.slice(0, maximumReasonLength)}`,
        );
      }
    }
    return ok({
      clients: new Map([...next].map(([name, { client }]) => [name, client])),
      commit: () => this.#commit(next, made, limits),
      abandon,
    });
  }

  async #make(configuration: AgentConfiguration, limits: AgentClientLimits): Promise<AgentClient> {
    const client = await this.#create(configuration, limits);
    const hosting = configuration.transport.kind === 'embedded' ? 'embedded' : 'external';
    client.reportTo(this.metrics.readerOf(configuration.name, hosting));
    client.onCapabilities(() => {
      if (this.#agents.get(configuration.name)?.client === client) this.#takeDeclaration(client);
    });
    return client;
  }

  #reusable(configuration: AgentConfiguration, limits: AgentClientLimits): RegisteredAgent | null {
    const current = this.#agents.get(configuration.name);
    if (!current || configuration.transport.kind === 'embedded') return null;
    const same = connectionKey(current.configuration, this.#limits) === connectionKey(configuration, limits);
    return same ? current : null;
  }

  #commit(
    next: ReadonlyMap<string, RegisteredAgent>,
    made: readonly AgentClient[],
    limits: AgentClientLimits,
  ): readonly AgentClient[] {
    const previous = this.#agents;
    this.#agents = next;
    this.#limits = limits;
    const names = new Set(next.keys());
    this.metrics.keep(names);
    this.declaredHeaders.keep(names);
    for (const { client } of next.values()) this.#takeDeclaration(client);
    for (const [name, { client, configuration }] of next) {
      const before = previous.get(name);
      if (before === undefined) continue;
      if (configuration.transport.kind === 'embedded') this.#logHandover(name, ok(undefined));
      else if (before.client === client) void this.#handOver(client, configuration);
      // The old connections deliver the new configuration before the first new connection is ready.
      else if (isSamePlace(before.configuration, configuration)) void before.client.configure(configuration.config);
    }
    const kept = new Set([...next.values()].map(({ client }) => client));
    const dropped = [...previous.values()].filter(({ client }) => !kept.has(client));
    for (const { client, configuration } of dropped) {
      client.retire({
        sameConfig: hasSameConfig(configuration, next),
        hasSuccessor: hasSuccessor(configuration, next),
      });
    }
    for (const client of made) client.start();
    return dropped.map(({ client }) => client);
  }

  #takeDeclaration(client: AgentClient): void {
    const capabilities = client.capabilities();
    if (capabilities !== null) this.declaredHeaders.declare(client.name, capabilities.ownedHeaders);
  }

  /**
   * Delivers an unchanged configuration too: the agent reads its files again, and may have refused or missed an earlier
   * one.
   */
  async #handOver(client: AgentClient, { name, config }: AgentConfiguration): Promise<void> {
    this.#logHandover(name, await client.configure(config));
  }

  #logHandover(agent: string, outcome: ConfigureOutcome): void {
    if (outcome.ok) {
      const isSent = outcome.value === 'sent';
      this.#logger.info(`the agent ${isSent ? 'was sent' : 'took'} its configuration`, {
        agent,
        outcome: isSent ? 'sent' : 'configured',
      });
      return;
    }
    const { kind, reason } = outcome.error;
    const fields = { agent, outcome: kind, reason: reason.slice(0, maximumReasonLength) };
    if (kind === 'refused')
      this.#logger.error(
        'the agent refused its configuration and keeps the previous one, with the files as it read them',
        fields,
      );
    else this.#logger.warn('the agent did not answer: it gets the configuration when it reconnects', fields);
  }
}

const isSamePlace = ({ transport: one }: AgentConfiguration, { transport: other }: AgentConfiguration): boolean => {
  if (one.kind === 'unix_socket') return other.kind === 'unix_socket' && one.path === other.path;
  return (
    one.kind === 'grpc' && other.kind === 'grpc' && grpcAddressText(one.address) === grpcAddressText(other.address)
  );
};

/** Whether the new block of this name reaches its agent at the same endpoint. */
const hasSuccessor = (configuration: AgentConfiguration, next: ReadonlyMap<string, RegisteredAgent>): boolean => {
  const successor = next.get(configuration.name);
  return successor !== undefined && isSamePlace(configuration, successor.configuration);
};

/** Whether an agent at the same endpoint gets the same configuration. */
const hasSameConfig = (configuration: AgentConfiguration, next: ReadonlyMap<string, RegisteredAgent>): boolean => {
  for (const { configuration: other } of next.values()) {
    if (isSamePlace(configuration, other)) return configKey(configuration) === configKey(other);
  }
  return false;
};
