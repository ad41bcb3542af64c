import { AgentUnixSocketServer } from '../../src/adapters/inbound/agent-unix-socket/agent-unix-socket-server.js';
import type { AgentServerOptions } from '../../src/adapters/inbound/agent-unix-socket/server-options.js';
import { AgentEmbeddedClient } from '../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { AgentSocketClient } from '../../src/adapters/outbound/agent-socket-client/agent-socket-client.js';
import type { AgentSocketClientOptions } from '../../src/adapters/outbound/agent-socket-client/socket-client-options.js';
import { SystemClock } from '../../src/adapters/outbound/node-clock/system-clock.js';
import { CryptoRandom } from '../../src/adapters/outbound/node-random/crypto-random.js';
import { NodeScheduler } from '../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import type { AgentClient } from '../../src/application/ports/agent-client.js';
import type { AgentService } from '../../src/application/ports/agent-service.js';
import type { JsonObject } from '../../src/domain/shared/json.js';
import { eventually } from './eventually.js';
import { RecordingLogger } from './recording-logger.js';
import { temporaryFolder } from './temporary-folder.js';

export const transportNames = ['socket', 'embedded'] as const;
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
export const quickClientOptions: Partial<AgentSocketClientOptions> = { backoff: { firstMs: 5, longestMs: 20 } };
export const quickServerOptions: Partial<AgentServerOptions> = { drainLingerMs: 10 };

export interface AgentTransport {
  readonly client: AgentClient;
  /** Resolves once calls can be made. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export const socketClient = (
  path: string,
  settings: Partial<TransportSettings & { owner: string | null }> = {},
  options: Partial<AgentSocketClientOptions> = {},
  logger = new RecordingLogger(),
): AgentSocketClient =>
  new AgentSocketClient(
    { name: agentName, path, owner: null, ...identity, ...defaultSettings, ...settings },
    new SystemClock(),
    new NodeScheduler(),
    new CryptoRandom(),
    logger,
    { ...quickClientOptions, ...options },
  );

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

const openSocket = async (
  service: AgentService,
  settings: Partial<TransportSettings>,
  connections: number,
): Promise<AgentTransport> => {
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

const openEmbedded = (service: AgentService, settings: Partial<TransportSettings>): AgentTransport => {
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

/** A client and what it reaches `service` by; not started. */
export const openTransport = async (
  name: TransportName,
  service: AgentService,
  settings: Partial<TransportSettings> = {},
  connections = 4,
): Promise<AgentTransport> =>
  name === 'socket' ? openSocket(service, settings, connections) : openEmbedded(service, settings);
