import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuthAgent } from '../../src/application/agent/agent-service/auth-agent.js';
import type { AgentService } from '../../src/application/ports/agent/agent-service.js';
import type { AgentClient } from '../../src/application/ports/gateway/agent-client.js';
import type { AgentAnswer, AgentEvent } from '../../src/domain/agent-protocol/messages.js';
import type { AgentTransport } from '../../src/domain/gateway/configuration/gateway-configuration.js';
import { built } from '../built.js';
import type { Check, Comparison, PreparedComparisons } from '../checks/comparison.js';

const inFlight = [1, 64] as const;
const connections = 4;
const silent = (): void => undefined;
const logger = { error: silent, warn: silent, info: silent, debug: silent, trace: silent };

const headers = [
  ['host', 'api.bench.example'],
  ['accept', 'application/json'],
  ['accept-encoding', 'gzip, br'],
  ['accept-language', 'en'],
  ['authorization', `Bearer ${'t'.repeat(600)}`],
  ['content-type', 'application/json'],
  ['user-agent', 'bench/1'],
  ['x-correlation-id', '6f6b5a0e-6d0c-4b53-9c9c-0d3f3c1c0a11'],
  ['x-forwarded-for', '192.0.2.7'],
  ['x-forwarded-proto', 'https'],
].flat();

const eventOf = (correlationId: string): AgentEvent => ({
  kind: 'request_headers',
  correlationId,
  metadata: {
    correlationId,
    requestId: '6f6b5a0e-6d0c-4b53-9c9c-0d3f3c1c0a11',
    clientIp: '192.0.2.7',
    clientPort: 40_000,
    serverName: 'api.bench.example',
    protocol: 'HTTP/1.1',
    tlsVersion: null,
    tlsCipher: null,
    routeId: 'bench',
    upstreamId: 'bench',
    timestampMs: 0,
    traceparent: null,
  },
  method: 'GET',
  uri: '/orders/17?expand=lines',
  headers,
});

const answer: AgentAnswer = {
  decision: { kind: 'allow' },
  requestHeaders: [
    { kind: 'set', name: 'X-User-Id', value: 'alice' },
    { kind: 'set', name: 'X-Auth-Method', value: 'jwt' },
  ],
  responseHeaders: [],
  needsMore: false,
  audit: { tags: [], ruleIds: [], confidence: null, reasonCodes: [], custom: {} },
  requestBodyMutation: null,
  responseBodyMutation: null,
};

/** An agent that has decided before it is asked. */
const decidedService = (): AgentService => ({
  capabilities: () => ({
    agentId: 'bench',
    name: 'bench',
    version: '1',
    supportedEvents: ['request_headers', 'configure'],
    features: {
      streamingBody: true,
      websocket: false,
      guardrails: false,
      configPush: true,
      metricsExport: true,
      cancellation: true,
      flowControl: false,
      healthReporting: true,
      concurrentRequests: 1_000,
    },
    limits: { maxBodySize: 1_048_576, maxConcurrency: 1_000, preferredChunkSize: 65_536 },
    ownedHeaders: [],
  }),
  configure: () => Promise.resolve({ ok: true, value: undefined }),
  decide: () => Promise.resolve(answer),
  cancel: silent,
  disconnected: silent,
  stop: () => Promise.resolve(),
  health: () => ({
    agentId: 'bench',
    state: 'healthy',
    message: null,
    load: null,
    resources: null,
    disabledFeatures: [],
    validForMs: null,
    timestampMs: 0,
  }),
  metrics: () => ({ agentId: 'bench', timestampMs: 0, intervalMs: 10_000, counters: [], gauges: [], histograms: [] }),
  onHealthChange: () => silent,
});

const calling = (client: AgentClient, atATime: number): Check => {
  const call = async (id: number): Promise<void> => {
    const outcome = await client.ask(eventOf(`call-${id}`));
    if (!outcome.ok) throw new Error(`${client.name}: ${outcome.error.code}: ${outcome.error.detail}`);
  };
  return {
    callsPerRun: atATime,
    run: (index) => Promise.all(Array.from({ length: atATime }, (_, each) => call(index * atATime + each))),
  };
};

export const prepareComparisons = async (): Promise<PreparedComparisons> => {
  const { serveAgentService } = await built<typeof import('../../src/bootstrap/agent/serve-agent-service.js')>(
    'bootstrap/agent/serve-agent-service.js',
  );
  const { agentClients } = await built<typeof import('../../src/bootstrap/shared/agent-clients.js')>(
    'bootstrap/shared/agent-clients.js',
  );
  const { SystemClock } = await built<typeof import('../../src/adapters/outbound/node-clock/system-clock.js')>(
    'adapters/outbound/node-clock/system-clock.js',
  );
  const { NodeScheduler } = await built<typeof import('../../src/adapters/outbound/node-scheduler/node-scheduler.js')>(
    'adapters/outbound/node-scheduler/node-scheduler.js',
  );
  const { CryptoRandom } = await built<typeof import('../../src/adapters/outbound/node-random/crypto-random.js')>(
    'adapters/outbound/node-random/crypto-random.js',
  );
  const { LocalPermitBook } = await built<
    typeof import('../../src/application/gateway/workers/share-permits/local-permits.js')
  >('application/gateway/workers/share-permits/local-permits.js');
  const { NodeTextFileReader } = await built<
    typeof import('../../src/adapters/outbound/node-text-files/node-text-file-reader.js')
  >('adapters/outbound/node-text-files/node-text-file-reader.js');
  const { SocketLayerSelector } = await built<
    typeof import('../../src/adapters/stream-sockets/socket-layer-selector.js')
  >('adapters/stream-sockets/socket-layer-selector.js');
  const layers = new SocketLayerSelector();
  await layers.choose('auto');
  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-agents-'));
  const socket = join(folder, 'agent.sock');
  const parts = { clock: new SystemClock(), scheduler: new NodeScheduler(), logger };
  const served = await serveAgentService(
    decidedService(),
    { socket, grpc: { address: { kind: 'tcp', host: '127.0.0.1', port: 0 }, tls: null }, metrics: null },
    { healthIntervalMs: 5_000, metricsIntervalMs: 10_000 },
    parts,
  );
  const port = Number(served.addresses.grpc?.split(':').at(-1));
  const factory = agentClients({
    ...parts,
    layers,
    random: new CryptoRandom(),
    files: new NodeTextFileReader(),
    proxyId: 'bench',
    permits: new LocalPermitBook(),
    loadAgentFactory: async () => () => decidedService() as unknown as AuthAgent,
  });
  const transports: readonly (readonly [string, AgentTransport])[] = [
    ['socket', { kind: 'unix_socket', path: socket, owner: null }],
    ['grpc', { kind: 'grpc', address: { kind: 'tcp', host: '127.0.0.1', port }, owner: null, tls: null }],
    ['embedded', { kind: 'embedded' }],
  ];
  const clients: AgentClient[] = [];
  for (const [name, transport] of transports) {
    const client = await factory(
      {
        name,
        transport,
        events: ['request_headers'],
        timeoutMs: 10_000,
        failureMode: 'closed',
        protocolVersion: 2,
        connections,
        admin: null,
        circuitBreaker: { failureThreshold: 5, openMs: 30_000, probes: 1 },
        config: null,
      },
      { maxQueueDepth: 1_000, maxResponseBytes: 10_240 },
    );
    client.start();
    clients.push(client);
  }
  while (clients.some((client) => client.status().state !== 'healthy')) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const comparisons: readonly Comparison[] = inFlight.map((atATime) => ({
    name: `${atATime} in flight`,
    describes: `${atATime} ${atATime === 1 ? 'call' : 'calls'} at a time`,
    rows: clients.map((client) => ({
      name: client.name,
      describes: `over ${client.name}`,
      check: calling(client, atATime),
    })),
  }));
  const stop = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.stop(1_000)));
    await served.drain(1_000);
    rmSync(folder, { recursive: true, force: true });
  };
  return { comparisons, stop };
};
