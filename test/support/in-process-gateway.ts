import { NodeHttpEngine } from '../../src/adapters/inbound/node-http-engine/node-http-engine.js';
import { SystemClock } from '../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeProcessFigures } from '../../src/adapters/outbound/node-process-figures/node-process-figures.js';
import { CryptoRandom } from '../../src/adapters/outbound/node-random/crypto-random.js';
import { NodeScheduler } from '../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { NodeTextFileReader } from '../../src/adapters/outbound/node-text-files/node-text-file-reader.js';
import { nodeZlibInflater } from '../../src/adapters/outbound/node-zlib-inflater/node-zlib-inflater.js';
import { ownSampleNames } from '../../src/adapters/outbound/prometheus-metrics/agent-samples.js';
import { PrometheusGatewayMetrics } from '../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import { re2PathPatterns } from '../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { UndiciUpstreamClient } from '../../src/adapters/outbound/undici-upstream/undici-upstream-client.js';
import { AgentMetrics } from '../../src/application/agent-metrics/agent-metrics.js';
import { AdminRequests } from '../../src/application/answer-admin/admin-requests.js';
import { AnswerAdmin } from '../../src/application/answer-admin/answer-admin.js';
import type { AccessRecord } from '../../src/application/ports/access-log.js';
import type { AgentClient } from '../../src/application/ports/agent-client.js';
import { defaultEngineLimits, type EngineLimits } from '../../src/application/ports/http-engine.js';
import type { UpstreamClientFactory } from '../../src/application/ports/upstream-client.js';
import { ProblemAnswerer } from '../../src/application/proxy-request/answer-problem.js';
import { ProxyRequest } from '../../src/application/proxy-request/proxy-request.js';
import { StatusReports } from '../../src/application/report-status/status-reports.js';
import { AgentRegistry } from '../../src/application/run-gateway/agent-registry.js';
import { Gateway } from '../../src/application/run-gateway/gateway.js';
import { ListenerRegistry } from '../../src/application/run-gateway/listener-registry.js';
import { RunningState } from '../../src/application/run-gateway/running-state.js';
import type {
  AgentConfiguration,
  GatewayConfiguration,
  LimitsConfiguration,
  RouteConfiguration,
  SocketAddress,
  UpstreamConfiguration,
} from '../../src/domain/configuration/gateway-configuration.js';
import { plainLimits, plainPolicies, plainTimeouts, plainUpstream } from './plain-configurations.js';
import { RecordingLogger } from './recording-logger.js';

export const testLimits: LimitsConfiguration = plainLimits;

const anything: RouteConfiguration['matches'] = {
  paths: [],
  pathPrefixes: ['/'],
  pathRegexes: [],
  hosts: [],
  methods: [],
  headers: [],
  queryParams: [],
};

/** A route that takes everything and sends it to `upstream`. */
export const testRoute = (changes: Partial<RouteConfiguration> = {}): RouteConfiguration => ({
  id: 'all',
  priority: 50,
  matches: anything,
  upstream: 'upstream',
  builtinHandler: null,
  agents: [],
  policies: plainPolicies,
  circuitBreaker: null,
  ...changes,
});

export const testUpstream = (port: number, changes: Partial<UpstreamConfiguration> = {}): UpstreamConfiguration => ({
  ...plainUpstream('upstream', port),
  ...changes,
});

export const testAgent = (name: string): AgentConfiguration => ({
  name,
  transport: { kind: 'embedded' },
  events: ['request_headers', 'request_body_chunk'],
  timeoutMs: 1_000,
  failureMode: 'closed',
  protocolVersion: 2,
  connections: 4,
  circuitBreaker: null,
  config: null,
});

/** One listener on a free port, one route, no agents. */
export const testConfiguration = (
  upstreams: readonly UpstreamConfiguration[],
  changes: Partial<GatewayConfiguration> = {},
): GatewayConfiguration => ({
  system: { instance: 'test', gracefulShutdownTimeoutMs: 5_000, workerThreads: 1 },
  listeners: [
    {
      name: 'main',
      address: { host: '127.0.0.1', port: 0 },
      tls: null,
      trustedProxies: [],
      acceptClientCertHeader: null,
      timeouts: plainTimeouts,
    },
  ],
  routes: [testRoute()],
  upstreams,
  agents: [],
  limits: testLimits,
  admin: null,
  tracing: null,
  ...changes,
});

export interface InProcessGateway {
  readonly address: SocketAddress;
  readonly url: string;
  readonly logger: RecordingLogger;
  readonly accessRecords: readonly AccessRecord[];
  readonly state: RunningState;
  readonly gateway: Gateway;
  metrics(): Promise<string>;
  /** Brings this configuration into force. */
  reload(configuration: GatewayConfiguration): ReturnType<Gateway['reload']>;
  stop(graceMs?: number): Promise<void>;
}

export interface InProcessOptions {
  readonly engineLimits?: Partial<EngineLimits>;
  readonly createAgent?: (agent: AgentConfiguration) => AgentClient;
  readonly createUpstream?: UpstreamClientFactory;
}

/** The gateway's own code with its real engine and upstream client, in the test's process. */
export const startInProcess = async (
  configuration: GatewayConfiguration,
  options: InProcessOptions = {},
): Promise<InProcessGateway> => {
  const clock = new SystemClock();
  const random = new CryptoRandom();
  const logger = new RecordingLogger();
  const accessRecords: AccessRecord[] = [];
  const metrics = new PrometheusGatewayMetrics('test');
  const agents = new AgentRegistry(
    (agent) => {
      if (!options.createAgent) throw new Error(`no agent ${agent.name} in this test`);
      return options.createAgent(agent);
    },
    new AgentMetrics(ownSampleNames, clock, logger),
    logger,
  );
  const engine = new NodeHttpEngine();
  const listeners = new ListenerRegistry(engine, { ...defaultEngineLimits, ...options.engineLimits });
  const identity = { name: 'portcullis', version: '0.0.0', buildCommit: null, nodeVersion: 'test', startedAtMs: 0 };
  const state = new RunningState(identity, agents, listeners, new NodeProcessFigures(), () => 0);
  metrics.observe(state);
  const reports = new StatusReports(state, metrics, clock);
  const problems = new ProblemAnswerer(logger);
  const accessLog = { write: (record: AccessRecord) => void accessRecords.push(record) };
  const shared = { clock, random, logger, accessLog, metrics, problems };
  const admin = new AdminRequests(
    new AnswerAdmin(reports, (given, secret) => given === secret.reveal()),
    () => state.configuration().admin,
    () => state.phase() === 'draining',
    random,
    logger,
  );
  let next = configuration;
  const gateway = new Gateway({
    source: { load: async () => ({ configuration: next, problems: [] }) },
    agents,
    listeners,
    listenerTls: { engine, files: new NodeTextFileReader() },
    state,
    stages: {
      ...shared,
      scheduler: new NodeScheduler(),
      inflater: nodeZlibInflater,
      reports,
      pathPatterns: re2PathPatterns,
    },
    createUpstream: options.createUpstream ?? ((upstream) => new UndiciUpstreamClient(upstream)),
    proxy: new ProxyRequest(shared, () => state.current()),
    admin,
    logger,
    hostName: 'test',
  });
  const started = await gateway.start();
  if (!started.ok) {
    const { reason, problems: found } = started.error;
    throw new Error(reason ?? found.map(({ message }) => message).join('\n'));
  }
  const address = started.value.listeners.get('main') as SocketAddress;
  return {
    address,
    url: `http${configuration.listeners[0]?.tls ? 's' : ''}://${address.host}:${address.port}`,
    logger,
    accessRecords,
    state,
    gateway,
    metrics: () => metrics.render(),
    reload: (changed) => {
      next = changed;
      return gateway.reload();
    },
    stop: (graceMs = 0) => gateway.stop(graceMs),
  };
};
