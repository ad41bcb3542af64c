import { AgentUnixSocketServer } from '../../src/adapters/inbound/agent-unix-socket/agent-unix-socket-server.js';
import type { AgentServerOptions } from '../../src/adapters/inbound/agent-unix-socket/server-options.js';
import { AgentEmbeddedClient } from '../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { SocketAgentConnector } from '../../src/adapters/outbound/agent-socket-client/socket-agent-connector.js';
import type { SocketAgentConnectorOptions } from '../../src/adapters/outbound/agent-socket-client/socket-connector-options.js';
import { SystemClock } from '../../src/adapters/outbound/node-clock/system-clock.js';
import { CryptoRandom } from '../../src/adapters/outbound/node-random/crypto-random.js';
import { NodeScheduler } from '../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { PooledAgentClient } from '../../src/application/call-agents/pooled-agent-client.js';
import type { PooledAgentClientOptions } from '../../src/application/call-agents/pooled-client-settings.js';
import type { AgentClient } from '../../src/application/ports/agent-client.js';
import type { AgentConnector } from '../../src/application/ports/agent-connector.js';
import type { AgentService } from '../../src/application/ports/agent-service.js';
import type { JsonObject } from '../../src/domain/shared/json.js';
import { eventually } from './eventually.js';
import { grpcConnector } from './grpc-connections.js';
import { grpcServer } from './grpc-server.js';
import { RecordingLogger } from './recording-logger.js';
import { temporaryFolder } from './temporary-folder.js';

export const transportNames = ['socket', 'grpc', 'embedded'] as const;
export type TransportName = (typeof transportNames)[number];

export interface TransportSettings {
  readonly timeoutMs: number;
  readonly maxQueueDepth: number;
  readonly config: JsonObject | null;
}

const defaultSettings: TransportSettings = { timeoutMs: 5_000, maxQueueDepth: 100, config: { colour: 'blue' } };
const agentName = 'auth';
const identity = { proxyId: 'gateway-1', proxyVersion: '0.1.0' };

/** Attempts follow each other quickly, so that no test has to wait for them. */
export const quickClientOptions: Partial<PooledAgentClientOptions> = { backoff: { firstMs: 5, longestMs: 20 } };
export const quickServerOptions: Partial<AgentServerOptions> = { drainLingerMs: 10 };

export interface AgentTransport {
  readonly client: AgentClient;
  /** Resolves once calls can be made. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Of the pool; how many connections it holds included. */
export type PoolOptions = Partial<PooledAgentClientOptions & { readonly connections: number }>;

/** A client of an agent that a connector reaches; not started. */
export const pooledClient = (
  connector: AgentConnector,
  settings: Partial<TransportSettings> = {},
  { connections = 4, ...options }: PoolOptions = {},
  logger = new RecordingLogger(),
): PooledAgentClient =>
  new PooledAgentClient(
    { name: agentName, connections, ...defaultSettings, ...settings },
    connector,
    { clock: new SystemClock(), scheduler: new NodeScheduler(), random: new CryptoRandom(), logger },
    { ...quickClientOptions, ...options },
  );

export const socketClient = (
  path: string,
  { owner = null, ...settings }: Partial<TransportSettings & { readonly owner: string | null }> = {},
  options: PoolOptions & Partial<SocketAgentConnectorOptions> = {},
  logger = new RecordingLogger(),
): PooledAgentClient => {
  const parts = { clock: new SystemClock(), scheduler: new NodeScheduler() };
  const connector = new SocketAgentConnector({ path, owner, ...identity }, parts, options);
  return pooledClient(connector, settings, options, logger);
};

export const socketServer = (
  path: string,
  service: AgentService,
  options: Partial<AgentServerOptions> = {},
  logger = new RecordingLogger(),
): AgentUnixSocketServer =>
  new AgentUnixSocketServer(path, service, new SystemClock(), new NodeScheduler(), logger, {
    ...quickServerOptions,
    ...options,
  });

type OpenTransport = (
  service: AgentService,
  settings: Partial<TransportSettings>,
  connections: number,
) => Promise<AgentTransport>;

const openSocket: OpenTransport = async (service, settings, connections) => {
  const folder = temporaryFolder();
  const server = socketServer(folder.file('agent.sock'), service);
  await server.listen();
  const client = socketClient(folder.file('agent.sock'), settings, { connections });
  return {
    client,
    ready: () => eventually(() => client.status().connections === connections),
    async close() {
      await client.stop(0);
      await server.drain(0);
      folder.remove();
    },
  };
};

const openEmbedded: OpenTransport = async (service, settings) => {
  const client = new AgentEmbeddedClient(
    { name: agentName, ...identity, ...defaultSettings, ...settings },
    service,
    new SystemClock(),
    new NodeScheduler(),
    new RecordingLogger(),
  );
  return {
    client,
    ready: () => eventually(() => client.status().connections === 1),
    close: () => client.stop(0),
  };
};

const openGrpc: OpenTransport = async (service, settings, connections) => {
  const server = grpcServer(service);
  const bound = await server.listen();
  const port = Number(bound.slice(bound.lastIndexOf(':') + 1));
  const client = pooledClient(grpcConnector({ kind: 'tcp', host: '127.0.0.1', port }), settings, { connections });
  return {
    client,
    ready: () => eventually(() => client.status().connections === connections),
    async close() {
      await client.stop(0);
      await server.drain(0);
    },
  };
};

const openers: Readonly<Record<TransportName, OpenTransport>> = {
  socket: openSocket,
  grpc: openGrpc,
  embedded: openEmbedded,
};

/** A client and what it reaches `service` by; not started. */
export const openTransport = (
  name: TransportName,
  service: AgentService,
  settings: Partial<TransportSettings> = {},
  connections = 4,
): Promise<AgentTransport> => openers[name](service, settings, connections);
