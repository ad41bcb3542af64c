import type { AgentStatus } from '../../../src/application/ports/gateway/agent-client.js';
import type {
  GatewayPhase,
  GatewayState,
  MemoryLimitStatus,
  ProgramIdentity,
  ReloadFigures,
  TargetChange,
  UpstreamStatus,
  WorkerFigures,
} from '../../../src/application/ports/gateway/gateway-state.js';
import type {
  GatewayConfiguration,
  RouteConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { Secret } from '../../../src/domain/shared/secret.js';
import { plainLimits, plainPolicies, plainTimeouts } from './plain-configurations.js';

/** A route that takes everything to the upstream `api`; `changes` say what is different. */
export const routeOf = (id: string, changes: Partial<RouteConfiguration> = {}): RouteConfiguration => ({
  id,
  priority: 50,
  matches: {
    paths: [],
    pathPrefixes: ['/'],
    pathRegexes: [],
    hosts: [],
    methods: [],
    headers: [],
    queryParams: [],
    schemes: [],
  },
  upstream: 'api',
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

/** A small configuration with a secret in every place that can hold one. */
export const configurationWithSecrets = (
  readyRequires: readonly ('upstreams' | 'agents')[] = [],
): GatewayConfiguration => ({
  system: {
    instance: 'edge-1',
    gracefulShutdownTimeoutMs: 30_000,
    shutdownDelayMs: 0,
    workerThreads: 0,
    sockets: 'auto',
  },
  listeners: [
    {
      name: 'main',
      address: { host: '127.0.0.1', port: 8080 },
      tls: null,
      trustedProxies: [],
      proxyProtocol: false,
      acceptClientCertHeader: null,
      http2: false,
      timeouts: plainTimeouts,
    },
  ],
  unrouted: plainPolicies,
  routes: [],
  upstreams: [],
  agents: [
    {
      name: 'auth',
      transport: { kind: 'embedded' },
      events: ['request_headers'],
      timeoutMs: 1000,
      failureMode: 'closed',
      protocolVersion: 2,
      connections: 4,
      admin: null,
      circuitBreaker: null,
      config: { 'jwt-secret': 'SECRET-of-the-agent' },
    },
  ],
  limits: plainLimits,
  admin: { address: { host: '127.0.0.1', port: 9090 }, token: new Secret('SECRET-admin-token'), readyRequires },
  tracing: null,
  audit: null,
  errorPageFile: null,
});

/** A gateway state that stands still. */
export class FixedGatewayState implements GatewayState {
  identity: ProgramIdentity = {
    name: 'portcullis',
    version: '1.2.3',
    buildCommit: 'abc123',
    nodeVersion: 'v20.20.0',
    socketLayer: 'node',
    startedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  };
  currentPhase: GatewayPhase = 'running';
  reloadFigures: ReloadFigures = { count: 0, lastLoadMs: Date.UTC(2026, 0, 2, 3, 4, 5) };
  currentConfiguration = configurationWithSecrets();
  routes: readonly RouteConfiguration[] = [];
  listenerConnections: readonly { readonly listener: string; readonly open: number }[] = [];
  inFlightByRoute: readonly { readonly route: string; readonly inFlight: number }[] = [];
  agentStatuses: readonly AgentStatus[] = [];
  upstreamStatuses: readonly UpstreamStatus[] = [];
  workerFigures: readonly WorkerFigures[] = [];
  memory: MemoryLimitStatus | null = null;
  keys: Readonly<Record<string, number>> = {};
  /** What was asked to be drained or not. */
  /** The name that keeps a target drained that is taken back. */
  drainedBy: string | null = null;
  readonly wishes: [upstream: string, address: string, drained: boolean][] = [];

  phase(): GatewayPhase {
    return this.currentPhase;
  }

  reloads(): ReloadFigures {
    return this.reloadFigures;
  }

  configuration(): GatewayConfiguration {
    return this.currentConfiguration;
  }

  routesInOrder(): readonly RouteConfiguration[] {
    return this.routes;
  }

  connections(): readonly { readonly listener: string; readonly open: number }[] {
    return this.listenerConnections;
  }

  requestsInFlight(): number {
    return this.inFlightByRoute.reduce((total, { inFlight }) => total + inFlight, 0);
  }

  requestsInFlightByRoute(): readonly { readonly route: string; readonly inFlight: number }[] {
    return this.inFlightByRoute;
  }

  requestsQueued(): number {
    return 0;
  }

  agents(): readonly AgentStatus[] {
    return this.agentStatuses;
  }

  upstreams(): readonly UpstreamStatus[] {
    return this.upstreamStatuses;
  }

  workers(): readonly WorkerFigures[] {
    return this.workerFigures;
  }

  routeBreakers(): readonly [] {
    return [];
  }

  rateLimiterKeys(): Readonly<Record<string, number>> {
    return this.keys;
  }

  isRateLimitStoreUp(): boolean {
    return true;
  }

  certificates(): readonly [] {
    return [];
  }

  memoryLimit(): MemoryLimitStatus | null {
    return this.memory;
  }

  drainTarget(upstream: string, address: string, drained: boolean): TargetChange {
    const found = this.upstreamStatuses.find(({ name }) => name === upstream);
    if (found === undefined) return 'no_upstream';
    if (!found.targets.some((target) => target.address === address)) return 'no_target';
    this.wishes.push([upstream, address, drained]);
    return { drained: drained || this.drainedBy !== null, drainedBy: drained ? null : this.drainedBy };
  }
}
