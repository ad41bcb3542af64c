import { HttpSessionAdministration } from '../../adapters/outbound/agent-admin-client/http-session-administration.js';
import { AgentEmbeddedClient } from '../../adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { GrpcAgentConnector } from '../../adapters/outbound/agent-grpc-client/grpc-agent-connector.js';
import { LegacyAgentConnector } from '../../adapters/outbound/agent-legacy-client/legacy-agent-connector.js';
import { SocketAgentConnector } from '../../adapters/outbound/agent-socket-client/socket-agent-connector.js';
import { checkSocketOwner } from '../../adapters/outbound/agent-socket-client/socket-owner.js';
import type { SocketLayerSelector } from '../../adapters/stream-sockets/socket-layer-selector.js';
import { GuardedAgentClient } from '../../application/gateway/ask-agents/guarded-agent-client.js';
import { PooledAgentClient } from '../../application/gateway/ask-agents/pooled-agent-client.js';
import type {
  AgentClient,
  AgentClientFactory,
  AgentClientLimits,
} from '../../application/ports/gateway/agent-client.js';
import type { AgentConnector } from '../../application/ports/gateway/agent-connector.js';
import type { PermitBook } from '../../application/ports/gateway/permits.js';
import type { Clock } from '../../application/ports/shared/clock.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import type { Random } from '../../application/ports/shared/random.js';
import type { Scheduler } from '../../application/ports/shared/scheduler.js';
import type { TextFileReader } from '../../application/ports/shared/text-file-reader.js';
import type { AgentConfiguration, AgentTransport } from '../../domain/gateway/configuration/gateway-configuration.js';
import { dividedLimit } from '../../domain/gateway/limits/permit-limits.js';
import type { AgentFactory } from '../agent/agent-tokens.js';
import { loadAgentGrpc } from './load-agent-grpc.js';
import { programVersion } from './version.js';

/** Services that all agent clients use. */
export interface AgentClientServices {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly logger: Logger;
  readonly files: TextFileReader;
  readonly permits: PermitBook;
  /** The socket layer of new connections to agents. */
  readonly layers: SocketLayerSelector;
  /** The gateway's identity for agents. */
  readonly proxyId: string;
  /** Loads the factory of embedded agents. */
  readonly loadAgentFactory: () => Promise<AgentFactory>;
}

const connectorOf = (
  { name, events, protocolVersion }: AgentConfiguration,
  transport: Exclude<AgentTransport, { kind: 'embedded' }>,
  { clock, scheduler, files, layers, proxyId }: AgentClientServices,
): AgentConnector => {
  const proxyVersion = programVersion;
  if (transport.kind === 'grpc') {
    const { address, owner, tls } = transport;
    const parts = { loadGrpc: loadAgentGrpc, files, clock, scheduler };
    return new GrpcAgentConnector({ address, owner, tls, proxyId, proxyVersion }, parts);
  }
  const { path, owner } = transport;
  return protocolVersion === 1
    ? new LegacyAgentConnector({ name, path, owner, events }, { scheduler })
    : new SocketAgentConnector({ path, owner, proxyId, proxyVersion }, { clock, scheduler, layers });
};

/** The sessions at the admin endpoints of an agent; null: the configuration names none. */
const administrationOf = (
  { admin }: AgentConfiguration,
  { owner }: Exclude<AgentTransport, { kind: 'embedded' }>,
): HttpSessionAdministration | null => {
  if (admin === null) return null;
  const socketFault = async (path: string): Promise<string | null> => {
    const check = await checkSocketOwner(path, owner);
    if (check.kind === 'trusted') return null;
    return check.kind === 'absent' ? 'there is no socket' : check.reason;
  };
  return new HttpSessionAdministration({ ...admin, socketFault });
};

const clientOf = async (
  agent: AgentConfiguration,
  { maxQueueDepth }: AgentClientLimits,
  parts: AgentClientServices,
): Promise<AgentClient> => {
  const { name, timeoutMs, config, transport, connections } = agent;
  const { clock, scheduler, random, logger, proxyId, permits } = parts;
  if (transport.kind === 'embedded') {
    // Each worker has its own embedded agent and queue, so the limit is divided.
    const ownDepth = dividedLimit(maxQueueDepth, permits.workers);
    const settings = { name, timeoutMs, maxQueueDepth: ownDepth, config, proxyId, proxyVersion: programVersion };
    const createAgent = await parts.loadAgentFactory();
    const service = createAgent({ overrides: {}, block: {} }, name);
    return new AgentEmbeddedClient(settings, service, clock, scheduler, logger);
  }
  const connector = connectorOf(agent, transport, parts);
  const queue = permits.workers === 1 ? null : permits.open('agent-queue', name);
  const sessions = administrationOf(agent, transport);
  const settings = { name, timeoutMs, maxQueueDepth, queue, config, connections, sessions };
  return new PooledAgentClient(settings, connector, { clock, scheduler, random, logger });
};

/** Creates the client of an agent block: its transport within the common guard. */
export const agentClients =
  (parts: AgentClientServices): AgentClientFactory =>
  async (agent, limits) => {
    const rules = { breaker: agent.circuitBreaker, maxResponseBytes: limits.maxResponseBytes, events: agent.events };
    return new GuardedAgentClient(await clientOf(agent, limits, parts), rules, parts);
  };
