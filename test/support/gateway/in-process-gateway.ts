import { NodeProcessFigures } from '../../../src/adapters/outbound/node-process-figures/node-process-figures.js';
import type { SocketLayerSelector } from '../../../src/adapters/stream-sockets/socket-layer-selector.js';
import type { Gateway } from '../../../src/application/gateway/run-gateway/gateway.js';
import { ListenerRegistry } from '../../../src/application/gateway/run-gateway/listener-registry.js';
import type { RunningState } from '../../../src/application/gateway/run-gateway/running-state.js';
import type { AccessRecord } from '../../../src/application/ports/gateway/access-log.js';
import type { AgentClientFactory } from '../../../src/application/ports/gateway/agent-client.js';
import type { HostResolver } from '../../../src/application/ports/gateway/host-resolver.js';
import {
  defaultEngineLimits,
  type EngineLimits,
  type HttpEngine,
} from '../../../src/application/ports/gateway/http-engine.js';
import type { TargetClientFactory } from '../../../src/application/ports/gateway/upstream-client.js';
import type { Scheduler } from '../../../src/application/ports/shared/scheduler.js';
import { gatewayTokens } from '../../../src/bootstrap/gateway/gateway-tokens.js';
import { gatewayContainer } from '../../../src/bootstrap/gateway/start-gateway.js';
import { sharedTokens as shared } from '../../../src/bootstrap/shared/shared-tokens.js';
import type { SocketAddress } from '../../../src/domain/configuration/network-addresses.js';
import type {
  AgentConfiguration,
  GatewayConfiguration,
  LimitsConfiguration,
  RouteConfiguration,
  UpstreamConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { plainLimits, plainPolicies, plainTimeouts, plainUpstream } from './plain-configurations.js';
import { RecordingAuditLog } from './recording-audit-log.js';
import { testedSockets, testSocketLayers } from './socket-layers.js';

export const testLimits: LimitsConfiguration = plainLimits;

const anything: RouteConfiguration['matches'] = {
  paths: [],
  pathPrefixes: ['/'],
  pathRegexes: [],
  hosts: [],
  methods: [],
  headers: [],
  queryParams: [],
  schemes: [],
};

/** A route that takes everything and sends it to `upstream`. */
export const testRoute = (changes: Partial<RouteConfiguration> = {}): RouteConfiguration => ({
  id: 'all',
  priority: 50,
  matches: anything,
  upstream: 'upstream',
  split: null,
  mirror: null,
  builtinHandler: null,
  redirect: null,
  respond: null,
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
  admin: null,
  circuitBreaker: null,
  config: null,
});

/** One listener on a free port, one route, no agents. */
export const testConfiguration = (
  upstreams: readonly UpstreamConfiguration[],
  changes: Partial<GatewayConfiguration> = {},
): GatewayConfiguration => ({
  system: {
    instance: 'test',
    gracefulShutdownTimeoutMs: 5_000,
    shutdownDelayMs: 0,
    workerThreads: 1,
    sockets: testedSockets,
  },
  listeners: [
    {
      name: 'main',
      address: { host: '127.0.0.1', port: 0 },
      tls: null,
      trustedProxies: [],
      proxyProtocol: false,
      acceptClientCertHeader: null,
      http2: false,
      timeouts: plainTimeouts,
    },
  ],
  routes: [testRoute()],
  unrouted: plainPolicies,
  upstreams,
  agents: [],
  limits: testLimits,
  admin: null,
  tracing: null,
  audit: null,
  errorPageFile: null,
  ...changes,
});

export interface InProcessGateway {
  readonly address: SocketAddress;
  readonly url: string;
  readonly logger: RecordingLogger;
  readonly accessRecords: readonly AccessRecord[];
  /** What has come to the audit log, where it goes to stdout. */
  readonly auditLog: RecordingAuditLog;
  readonly state: RunningState;
  readonly gateway: Gateway;
  metrics(): Promise<string>;
  /** What the next load gives. */
  load(configuration: GatewayConfiguration): void;
  /** Brings this configuration into force. */
  reload(configuration: GatewayConfiguration): ReturnType<Gateway['reload']>;
  stop(graceMs?: number): Promise<void>;
}

export interface InProcessOptions {
  readonly engineLimits?: Partial<EngineLimits>;
  readonly createAgent?: AgentClientFactory;
  readonly createTargetClient?: TargetClientFactory;
  readonly resolver?: HostResolver;
  readonly engine?: HttpEngine;
  readonly socketLayers?: SocketLayerSelector;
  readonly scheduler?: Scheduler;
  /** Octets of memory that the gateway is to take its process for holding. */
  readonly residentBytes?: () => number;
}

/** The gateway as it is put together in production, in the test's process, with the parts that the test swaps. */
export const startInProcess = async (
  configuration: GatewayConfiguration,
  options: InProcessOptions = {},
): Promise<InProcessGateway> => {
  const logger = new RecordingLogger();
  const accessRecords: AccessRecord[] = [];
  const auditLog = new RecordingAuditLog();
  let next = configuration;
  const source = { load: async () => ({ configuration: next, problems: [] }) };
  const container = gatewayContainer('in-process.kdl', source, {
    logger,
    accessLog: { isOn: true, write: (record) => void accessRecords.push(record) },
    droppedAccessLines: () => 0,
    auditOutput: () => auditLog,
  });
  const limits = { ...defaultEngineLimits, ...options.engineLimits };
  container
    .rebind(gatewayTokens.listeners)
    .toResolvedValue((engine) => new ListenerRegistry(engine, limits), [gatewayTokens.engine])
    .inSingletonScope();
  container.rebind(gatewayTokens.hostName).toConstantValue('test');
  container.rebind(gatewayTokens.createAgent).toConstantValue((agent, agentLimits) => {
    if (!options.createAgent) throw new Error(`no agent ${agent.name} in this test`);
    return options.createAgent(agent, agentLimits);
  });
  container.rebind(gatewayTokens.socketLayers).toConstantValue(options.socketLayers ?? testSocketLayers);
  if (options.createTargetClient) {
    container.rebind(gatewayTokens.createTargetClient).toConstantValue(options.createTargetClient);
  }
  if (options.engine) container.rebind(gatewayTokens.engine).toConstantValue(options.engine);
  if (options.scheduler) container.rebind(shared.scheduler).toConstantValue(options.scheduler);
  if (options.resolver) container.rebind(gatewayTokens.resolver).toConstantValue(options.resolver);
  const { residentBytes } = options;
  if (residentBytes) {
    const figures = new NodeProcessFigures();
    container.rebind(gatewayTokens.figures).toConstantValue(Object.assign(figures, { residentBytes }));
  }
  const state = container.get(gatewayTokens.state);
  const whole = container.get(gatewayTokens.whole);
  const gateway = container.get(gatewayTokens.gateway);
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
    auditLog,
    state,
    gateway,
    metrics: async () => (await whole.metrics())?.text ?? '',
    load: (changed) => {
      next = changed;
    },
    reload: (changed) => {
      next = changed;
      return gateway.reload();
    },
    stop: (graceMs = 0) => gateway.stop(graceMs),
  };
};
