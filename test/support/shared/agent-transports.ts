import { AgentUnixSocketServer } from '../../../src/adapters/inbound/agent-unix-socket/agent-unix-socket-server.js';
import type { AgentServerOptions } from '../../../src/adapters/inbound/agent-unix-socket/server-options.js';
import { AgentEmbeddedClient } from '../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { LegacyAgentConnector } from '../../../src/adapters/outbound/agent-legacy-client/legacy-agent-connector.js';
import { SocketAgentConnector } from '../../../src/adapters/outbound/agent-socket-client/socket-agent-connector.js';
import type { SocketAgentConnectorOptions } from '../../../src/adapters/outbound/agent-socket-client/socket-connector-options.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { CryptoRandom } from '../../../src/adapters/outbound/node-random/crypto-random.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { PooledAgentClient } from '../../../src/application/gateway/ask-agents/pooled-agent-client.js';
import type { PooledAgentClientOptions } from '../../../src/application/gateway/ask-agents/pooled-client-options.js';
import type { AgentService } from '../../../src/application/ports/agent/agent-service.js';
import type { AgentClient } from '../../../src/application/ports/gateway/agent-client.js';
import type { AgentConnector } from '../../../src/application/ports/gateway/agent-connector.js';
import type { GrpcAddress } from '../../../src/domain/configuration/network-addresses.js';
import { agentSubscriptions } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { LegacyAgentServer } from '../agent/legacy-agent-server.js';
import { testSocketLayers } from '../gateway/socket-layers.js';
import { eventually } from './eventually.js';
import { grpcConnector } from './grpc-connections.js';
import { grpcServer, localPort } from './grpc-server.js';
import { RecordingLogger } from './recording-logger.js';
import { temporaryFolder } from './temporary-folder.js';

/** By which an agent can say everything that the protocol has. */
export const transportNames = ['socket', 'grpc', 'embedded'] as const;
/** With the older framing, by which agents have nothing but answers. */
export const everyTransportName = [...transportNames, 'legacy'] as const;
export type TransportName = (typeof everyTransportName)[number];

export interface TransportSettings {
  readonly timeoutMs: number;
  readonly maxQueueDepth: number;
  readonly config: JsonObject | null;
  /** How often the agent reports its metrics, where it does so by itself. */
  readonly metricsIntervalMs: number;
}

const defaultSettings: TransportSettings = {
  timeoutMs: 5_000,
  maxQueueDepth: 100,
  config: { colour: 'blue' },
  metricsIntervalMs: 10_000,
};
const agentName = 'auth';
const identity = { proxyId: 'gateway-1', proxyVersion: '0.1.0' };

/** Attempts follow each other quickly, so that no test has to wait for them. */
export const quickClientOptions: Partial<PooledAgentClientOptions> = { backoff: { firstMs: 5, longestMs: 20 } };
export const quickServerOptions: Partial<AgentServerOptions> = { drainLingerMs: 10 };

export interface AgentTransport {
  readonly client: AgentClient;
  /** Resolves once calls can be made. */
  ready(): Promise<void>;
  /** The agent drains, and another one is served at its address. */
  handOver(next: AgentService): Promise<void>;
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
  layers = testSocketLayers,
): PooledAgentClient => {
  const parts = { clock: new SystemClock(), scheduler: new NodeScheduler(), layers };
  const connector = new SocketAgentConnector({ path, owner, ...identity }, parts, options);
  return pooledClient(connector, settings, options, logger);
};

export const socketServer = (
  path: string,
  service: AgentService,
  options: Partial<AgentServerOptions> = {},
  logger = new RecordingLogger(),
  layers = testSocketLayers,
): AgentUnixSocketServer =>
  new AgentUnixSocketServer(
    path,
    service,
    { clock: new SystemClock(), scheduler: new NodeScheduler(), logger, layers },
    { ...quickServerOptions, ...options },
  );

type OpenTransport = (
  service: AgentService,
  settings: Partial<TransportSettings>,
  connections: number,
) => Promise<AgentTransport>;

interface Served {
  listen(): Promise<unknown>;
  drain(graceMs: number): Promise<void>;
}

/** An agent in a process of its own, as far as the client can tell. */
const served = async (
  client: AgentClient,
  connections: number,
  serve: (service: AgentService) => Served,
  first: Served,
): Promise<AgentTransport> => {
  const ends: (() => Promise<void>)[] = [];
  let current = first;
  return {
    client,
    ready: () => eventually(() => client.status().connections === connections),
    async handOver(next) {
      const drained = current.drain(60_000);
      current = serve(next);
      await current.listen();
      ends.push(() => drained);
    },
    async close() {
      await client.stop(0);
      await current.drain(0);
      for (const end of ends) await end();
    },
  };
};

const openSocket: OpenTransport = async (service, settings, connections) => {
  const folder = temporaryFolder();
  const path = folder.file('agent.sock');
  const { metricsIntervalMs } = { ...defaultSettings, ...settings };
  const serve = (judge: AgentService): Served => socketServer(path, judge, { metricsIntervalMs });
  const server = serve(service);
  await server.listen();
  const transport = await served(socketClient(path, settings, { connections }), connections, serve, server);
  return {
    ...transport,
    async close() {
      await transport.close();
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
    handOver: () => Promise.reject(new Error('an embedded agent has no address')),
    close: () => client.stop(0),
  };
};

const openGrpc: OpenTransport = async (service, settings, connections) => {
  const { metricsIntervalMs } = { ...defaultSettings, ...settings };
  const first = grpcServer(service, localPort, { ...quickServerOptions, metricsIntervalMs });
  const bound = await first.listen();
  const address: GrpcAddress = {
    kind: 'tcp',
    host: '127.0.0.1',
    port: Number(bound.slice(bound.lastIndexOf(':') + 1)),
  };
  const serve = (judge: AgentService): Served =>
    grpcServer(judge, { address, tls: null }, { ...quickServerOptions, metricsIntervalMs });
  return served(pooledClient(grpcConnector(address), settings, { connections }), connections, serve, first);
};

/** Of every event that agents can be subscribed to. */
export const legacyClient = (
  path: string,
  settings: Partial<TransportSettings> = {},
  options: PoolOptions = {},
  logger = new RecordingLogger(),
): PooledAgentClient => {
  const connector = new LegacyAgentConnector(
    { name: agentName, path, owner: null, events: agentSubscriptions },
    { scheduler: new NodeScheduler() },
  );
  return pooledClient(connector, settings, options, logger);
};

const openLegacy: OpenTransport = async (service, settings, connections) => {
  const folder = temporaryFolder();
  const path = folder.file('agent.sock');
  const server = new LegacyAgentServer(path, service);
  await server.listen();
  const client = legacyClient(path, settings, { connections });
  return {
    client,
    ready: () => eventually(() => client.status().connections === connections),
    handOver: () => Promise.reject(new Error('agents of the older framing do not drain')),
    async close() {
      await client.stop(0);
      await server.close();
      folder.remove();
    },
  };
};

const openers: Readonly<Record<TransportName, OpenTransport>> = {
  socket: openSocket,
  grpc: openGrpc,
  embedded: openEmbedded,
  legacy: openLegacy,
};

/** A client and what it reaches `service` by; not started. */
export const openTransport = (
  name: TransportName,
  service: AgentService,
  settings: Partial<TransportSettings> = {},
  connections = 4,
): Promise<AgentTransport> => openers[name](service, settings, connections);
