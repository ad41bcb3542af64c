import { PooledAgentClient } from '../../../src/application/gateway/ask-agents/pooled-agent-client.js';
import type { Permits } from '../../../src/application/ports/gateway/permits.js';
import type { AgentCapabilities } from '../../../src/domain/agent-protocol/capabilities.js';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { ManualClock } from '../shared/manual-clock.js';
import { ManualScheduler, settled } from '../shared/manual-scheduler.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { capabilitiesWith, type FakeAgentConnection, FakeAgentConnector } from './fake-agent-connector.js';

export interface FakeAgentPool {
  readonly clock: ManualClock;
  readonly scheduler: ManualScheduler;
  readonly logger: RecordingLogger;
  readonly connector: FakeAgentConnector;
  readonly client: PooledAgentClient;
  /** Connections of the pool in the order in which they were made; fails where there are not so many. */
  connection(index: number): FakeAgentConnection;
}

export interface FakeAgentPoolSettings {
  readonly connections: number;
  readonly timeoutMs: number;
  readonly maxQueueDepth: number;
  readonly config: JsonObject | null;
  readonly queue: Permits | null;
}

/** A client that has not been started. Nothing happens by itself. */
export const fakePool = (settings: Partial<FakeAgentPoolSettings> = {}): FakeAgentPool => {
  const clock = new ManualClock();
  const scheduler = new ManualScheduler(clock);
  const logger = new RecordingLogger();
  const connector = new FakeAgentConnector();
  let uuids = 0;
  const random = { uuid: () => `uuid-${++uuids}`, token: () => '', fraction: () => 0, hex: () => '' };
  const client = new PooledAgentClient(
    { name: 'auth', timeoutMs: 1_000, maxQueueDepth: 10, config: { v: 1 }, connections: 2, ...settings },
    connector,
    { clock, scheduler, random, logger },
  );
  return {
    clock,
    scheduler,
    logger,
    connector,
    client,
    connection(index) {
      const connection = connector.connections[index];
      if (connection === undefined) throw new Error(`there is no connection ${index}`);
      return connection;
    },
  };
};

/** A started client whose connections have all finished their handshakes, with these capabilities. */
export const startFakePool = async ({
  capabilities = capabilitiesWith(),
  ...settings
}: Partial<FakeAgentPoolSettings & { readonly capabilities: AgentCapabilities }> = {}): Promise<FakeAgentPool> => {
  const pool = fakePool(settings);
  pool.client.start();
  await settled();
  for (const connection of pool.connector.connections) connection.ready(capabilities);
  return pool;
};
