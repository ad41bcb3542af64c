import { describe, expect, it } from 'vitest';
import { StatusReports } from '../../../../../src/application/gateway/report-status/status-reports.js';
import type { AgentStatus } from '../../../../../src/application/ports/gateway/agent-client.js';
import type { TargetStatus, WorkerFigures } from '../../../../../src/application/ports/gateway/gateway-state.js';
import type { AgentHealth } from '../../../../../src/domain/agent-protocol/health.js';
import {
  type BuiltinHandler,
  builtinHandlers,
} from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { TrafficSplit } from '../../../../../src/domain/gateway/load-balancing/traffic-split.js';
import { firstHeader } from '../../../../../src/domain/http/header-list.js';
import {
  configurationWithSecrets,
  FixedGatewayState,
  routeOf,
} from '../../../../support/gateway/fixed-gateway-state.js';
import { FixedWholeGateway } from '../../../../support/gateway/fixed-whole-gateway.js';
import { plainPolicies } from '../../../../support/gateway/plain-configurations.js';

const splitOf = (weights: Readonly<Record<string, number>>): TrafficSplit => ({
  key: null,
  sides: Object.entries(weights).map(([upstream, weight]) => ({ upstream, weight })),
});

const now = Date.UTC(2026, 0, 2, 3, 4, 5) + 61_900;

const reportsOf = (state: FixedGatewayState, wallMs = now): StatusReports =>
  new StatusReports(state, new FixedWholeGateway(state), {
    wallMs: () => wallMs,
    monotonicMs: () => 0,
    turnMs: () => 0,
  });

const bodyOf = async (state: FixedGatewayState, handler: BuiltinHandler, wallMs = now): Promise<unknown> =>
  JSON.parse((await reportsOf(state, wallMs).report(handler, 'c-1')).body);

const statusOf = async (state: FixedGatewayState, handler: BuiltinHandler): Promise<number> =>
  (await reportsOf(state).report(handler, 'c-1')).status;

const well: TargetStatus = {
  address: '10.0.0.1:80',
  name: null,
  drained: false,
  weight: 1,
  breaker: null,
  healthy: true,
  activeConnections: 2,
  totalRequests: 7,
  failedRequests: 1,
  lastError: null,
  unhealthySinceMs: null,
};
const ill: TargetStatus = {
  address: '10.0.0.2:80',
  name: 'api.internal:80',
  drained: true,
  weight: 3,
  breaker: 'open',
  healthy: false,
  activeConnections: 0,
  totalRequests: 3,
  failedRequests: 3,
  lastError: 'connection refused',
  unhealthySinceMs: Date.UTC(2026, 0, 2),
};
const agent = (name: string, state: AgentStatus['state']): AgentStatus => ({
  name,
  state,
  connections: state === 'unreachable' ? 0 : 2,
  inFlight: 3,
  queueDepth: 4,
  health: null,
  breaker: null,
  refusal: null,
  unsupportedEvents: [],
});
const reported: AgentHealth = {
  agentId: 'id',
  state: 'degraded',
  message: 'TEXT of the agent',
  load: {
    inFlight: 1,
    queueDepth: 2,
    avgLatencyMs: 3.5,
    p50LatencyMs: 4,
    p95LatencyMs: 5,
    p99LatencyMs: 6,
    requestsProcessed: 7,
    requestsRejected: 8,
    requestsTimedOut: 9,
  },
  resources: {
    cpuPercent: 12.5,
    memoryBytes: 1024,
    memoryLimit: null,
    activeThreads: null,
    openFds: null,
    fdLimit: 0,
    connections: null,
  },
  disabledFeatures: ['geo'],
  validForMs: null,
  timestampMs: 0,
};
const worker = (id: number, p99Ms: number): WorkerFigures => ({
  id,
  pid: 100 + id,
  connections: 5,
  requestsInFlight: 2,
  memory: { residentBytes: 1000, heapUsedBytes: 100, heapTotalBytes: 200, externalBytes: 10 },
  eventLoopDelay: { meanMs: Number.NaN, p50Ms: 1, p99Ms, maxMs: 20, count: 1, sumMs: 1 },
  unhealthyTargets: [],
});

describe('every report', () => {
  it.each(builtinHandlers)('%s must not be cached or sniffed', async (handler) => {
    const { headers } = await reportsOf(new FixedGatewayState()).report(handler, 'c-1');
    expect(firstHeader(headers, 'cache-control')).toBe('no-store');
    expect(firstHeader(headers, 'x-content-type-options')).toBe('nosniff');
  });

  it.each(builtinHandlers)('%s contains no secret of the configuration', async (handler) => {
    const state = new FixedGatewayState();
    state.routes = [
      routeOf('keyed', {
        matches: {
          ...routeOf('x').matches,
          headers: [{ name: 'X-API-Key', value: 'SECRET-header' }],
          queryParams: [{ name: 'access_token', value: 'SECRET-query' }],
        },
      }),
    ];
    expect((await reportsOf(state).report(handler, 'c-1')).body).not.toContain('SECRET');
  });
});

describe('/health', () => {
  it.each([
    ['starting', 'starting'],
    ['running', 'healthy'],
    ['draining', 'draining'],
    ['replaced', 'draining'],
  ] as const)('is a 200 while %s', async (phase, status) => {
    const state = new FixedGatewayState();
    state.currentPhase = phase;
    expect(await statusOf(state, 'health')).toBe(200);
    expect(await bodyOf(state, 'health')).toEqual({ status });
  });
});

describe('/ready', () => {
  it('is a 200 without reasons while running', async () => {
    expect(await statusOf(new FixedGatewayState(), 'ready')).toBe(200);
    expect(await bodyOf(new FixedGatewayState(), 'ready')).toEqual({
      ready: true,
      unhealthy_upstreams: [],
      absent_agents: [],
      agents: {},
    });
  });

  it('stays a 200 while a successor serves the same addresses, so that a balancer keeps them', async () => {
    const state = new FixedGatewayState();
    state.currentPhase = 'replaced';
    expect(await statusOf(state, 'ready')).toBe(200);
    expect(await bodyOf(state, 'ready')).toMatchObject({ ready: true });
  });

  it.each(['starting', 'draining'] as const)('is a 503 while %s', async (phase) => {
    const state = new FixedGatewayState();
    state.currentPhase = phase;
    expect(await statusOf(state, 'ready')).toBe(503);
    expect(await bodyOf(state, 'ready')).toMatchObject({ ready: false, reasons: [phase] });
  });

  const broken = (): FixedGatewayState => {
    const state = new FixedGatewayState();
    state.upstreamStatuses = [
      { name: 'half', targets: [well, ill] },
      { name: 'gone', targets: [ill] },
    ];
    state.agentStatuses = [agent('auth', 'unreachable'), agent('sick', 'unhealthy'), agent('slow', 'degraded')];
    return state;
  };

  it('is a 503 while an embedded agent is starting', async () => {
    const state = new FixedGatewayState();
    state.agentStatuses = [{ ...agent('auth', 'degraded'), isStarting: true }, agent('other', 'degraded')];
    expect(await statusOf(state, 'ready')).toBe(503);
    expect(await bodyOf(state, 'ready')).toMatchObject({ ready: false, reasons: ['agent auth is starting'] });
  });

  it('lists broken upstreams and agents, and stays ready', async () => {
    expect(await statusOf(broken(), 'ready')).toBe(200);
    expect(await bodyOf(broken(), 'ready')).toEqual({
      ready: true,
      unhealthy_upstreams: ['gone'],
      absent_agents: ['auth', 'sick'],
      agents: { auth: { state: 'unreachable' }, sick: { state: 'unhealthy' }, slow: { state: 'degraded' } },
    });
  });

  it('counts an agent with an open breaker as absent, but not one with a half-open breaker', async () => {
    const state = new FixedGatewayState();
    state.currentConfiguration = configurationWithSecrets(['agents']);
    state.agentStatuses = [
      { ...agent('open', 'healthy'), breaker: 'open' },
      { ...agent('tried', 'healthy'), breaker: 'half_open' },
      { ...agent('fine', 'healthy'), breaker: 'closed' },
    ];
    expect(await statusOf(state, 'ready')).toBe(503);
    expect(await bodyOf(state, 'ready')).toMatchObject({
      reasons: ['agent open is absent'],
      absent_agents: ['open'],
      agents: { open: { state: 'healthy', breaker: 'open' }, tried: { breaker: 'half_open' } },
    });
  });

  it("shows that an agent refuses its configuration, without the agent's texts", async () => {
    const state = new FixedGatewayState();
    state.agentStatuses = [{ ...agent('auth', 'healthy'), refusal: 'TEXT of the refusal', health: reported }];
    expect(await bodyOf(state, 'ready')).toMatchObject({
      ready: true,
      agents: { auth: { state: 'healthy', refuses_configuration: true } },
    });
    expect((await reportsOf(state).report('ready', 'c-1')).body).not.toContain('TEXT');
  });

  it('counts the kinds that the admin block requires', async () => {
    const state = broken();
    state.currentConfiguration = configurationWithSecrets(['upstreams', 'agents']);
    expect(await statusOf(state, 'ready')).toBe(503);
    expect(await bodyOf(state, 'ready')).toMatchObject({
      ready: false,
      reasons: ['upstream gone is unhealthy', 'agent auth is absent', 'agent sick is absent'],
    });
  });

  it.each([
    ['only gets copies', { mirror: { upstream: 'gone', percent: 100, keepsCredentials: false } }, 200],
    ['has weight 0', { upstream: null, split: splitOf({ api: 1, gone: 0 }) }, 200],
    ['has a weight', { upstream: null, split: splitOf({ api: 1, gone: 1 }) }, 503],
  ])('judges an unhealthy upstream that %s', async (_, changes, status) => {
    const state = broken();
    state.currentConfiguration = { ...configurationWithSecrets(['upstreams']), routes: [routeOf('one', changes)] };
    expect(await statusOf(state, 'ready')).toBe(status);
    expect(await bodyOf(state, 'ready')).toMatchObject({ unhealthy_upstreams: ['gone'] });
  });

  it('counts each kind separately', async () => {
    const state = broken();
    state.currentConfiguration = configurationWithSecrets(['agents']);
    state.agentStatuses = [agent('auth', 'healthy')];
    expect(await statusOf(state, 'ready')).toBe(200);
  });

  it('is a 503 while memory is short', async () => {
    const state = new FixedGatewayState();
    state.memory = { limitBytes: 1, isShort: true };
    expect(await statusOf(state, 'ready')).toBe(503);
    expect(await bodyOf(state, 'ready')).toMatchObject({ reasons: ['over the memory limit'] });
    state.memory = { limitBytes: 1, isShort: false };
    expect(await statusOf(state, 'ready')).toBe(200);
  });

  it('counts an upstream as unhealthy if its healthy targets are drained', async () => {
    const state = new FixedGatewayState();
    state.upstreamStatuses = [{ name: 'api', targets: [{ ...well, drained: true }, ill] }];
    expect(await bodyOf(state, 'ready')).toMatchObject({ ready: true, unhealthy_upstreams: ['api'] });
  });

  it('works without an admin block', async () => {
    const state = broken();
    state.currentConfiguration = { ...configurationWithSecrets(), admin: null };
    expect(await statusOf(state, 'ready')).toBe(200);
  });
});

describe('/status', () => {
  it('has the documented members, and times in ISO 8601', async () => {
    const state = new FixedGatewayState();
    state.reloadFigures = { count: 4, lastLoadMs: Date.UTC(2026, 5, 6, 7, 8, 9, 10) };
    expect(await bodyOf(state, 'status')).toEqual({
      status: 'healthy',
      version: '1.2.3',
      uptime_seconds: 61,
      start_time: '2026-01-02T03:04:05.000Z',
      config_reload_count: 4,
      last_config_reload: '2026-06-06T07:08:09.010Z',
    });
  });

  it('has no negative uptime after the clock was set back', async () => {
    expect(await bodyOf(new FixedGatewayState(), 'status', 0)).toMatchObject({ uptime_seconds: 0 });
  });
});

describe('/admin/upstreams', () => {
  it('shows the figures of every target, and the last error of an unhealthy one', async () => {
    const state = new FixedGatewayState();
    state.upstreamStatuses = [{ name: 'api', targets: [well, ill] }];
    expect(await bodyOf(state, 'upstreams')).toEqual({
      upstreams: {
        api: {
          healthy: true,
          targets: [
            {
              address: '10.0.0.1:80',
              healthy: true,
              drained: false,
              weight: 1,
              active_connections: 2,
              total_requests: 7,
              failed_requests: 1,
            },
            {
              address: '10.0.0.2:80',
              name: 'api.internal:80',
              healthy: false,
              drained: true,
              weight: 3,
              circuit_breaker: 'open',
              active_connections: 0,
              total_requests: 3,
              failed_requests: 3,
              last_error: 'connection refused',
              unhealthy_since: '2026-01-02T00:00:00.000Z',
            },
          ],
        },
      },
    });
  });

  it('is unhealthy if no target is healthy, and supports hostile names', async () => {
    const state = new FixedGatewayState();
    state.upstreamStatuses = [{ name: '__proto__', targets: [ill] }];
    const { body } = await reportsOf(state).report('upstreams', 'c-1');
    expect(body).toContain('"__proto__":{"healthy":false');
  });
});

describe('/admin/routes for a split or a mirror', () => {
  it('shows split and mirror', async () => {
    const state = new FixedGatewayState();
    const mirror = { upstream: 'shadow', percent: 12.5, keepsCredentials: true };
    const byCookie = { ...splitOf({ blue: 95, green: 5 }), key: { kind: 'cookie', name: 'uid' } as const };
    state.routes = [
      routeOf('divided', { upstream: null, split: byCookie, mirror }),
      routeOf('random', { upstream: null, split: splitOf({ blue: 1 }) }),
    ];
    expect(await bodyOf(state, 'routes')).toMatchObject([
      {
        upstream: null,
        service_type: 'proxy',
        split: {
          key: 'cookie:uid',
          upstreams: [
            { name: 'blue', weight: 95 },
            { name: 'green', weight: 5 },
          ],
        },
        mirror: { upstream: 'shadow', percent: 12.5, credentials: true },
      },
      { split: { upstreams: [{ name: 'blue', weight: 1 }] } },
    ]);
  });
});

describe('/admin/version', () => {
  it('names the program, its formats and its runtime', async () => {
    expect(await bodyOf(new FixedGatewayState(), 'version')).toEqual({
      name: 'portcullis',
      version: '1.2.3',
      protocol_versions: [2],
      node_version: 'v20.20.0',
      config_format_version: 2,
      build_commit: 'abc123',
      socket_layer: 'node',
    });
  });
});

describe('/admin/routes', () => {
  it('is an array in matching order', async () => {
    const state = new FixedGatewayState();
    state.routes = [
      routeOf('health', {
        priority: 1000,
        matches: { ...routeOf('x').matches, pathPrefixes: [], paths: ['/health'] },
        upstream: null,
        builtinHandler: 'health',
      }),
      routeOf('api', {
        agents: ['auth'],
        matches: {
          ...routeOf('x').matches,
          headers: [
            { name: 'X-Version', value: '2' },
            { name: 'Authorization', value: null },
          ],
        },
        policies: { ...plainPolicies, maxBodySize: 1024, requestTimeoutMs: 1500, readTimeoutMs: 2000 },
      }),
    ];
    expect(await bodyOf(state, 'routes')).toEqual([
      {
        id: 'health',
        priority: 1000,
        matches: { path: ['/health'] },
        upstream: null,
        agents: [],
        service_type: 'builtin',
        builtin_handler: 'health',
        policies: {},
      },
      {
        id: 'api',
        priority: 50,
        matches: { path_prefix: ['/'], header: [{ name: 'X-Version', value: '2' }, { name: 'Authorization' }] },
        upstream: 'api',
        agents: ['auth'],
        service_type: 'proxy',
        policies: { max_body_size: 1024, timeout_secs: 1.5, read_timeout_secs: 2 },
      },
    ]);
  });
});

describe('/admin/stats', () => {
  it('sums the figures of workers and listeners', async () => {
    const state = new FixedGatewayState();
    state.listenerConnections = [
      { listener: 'main', open: 6 },
      { listener: 'other', open: 4 },
    ];
    state.inFlightByRoute = [{ route: 'api', inFlight: 4 }];
    state.agentStatuses = [agent('auth', 'healthy')];
    state.workerFigures = [worker(0, 2.34567), worker(1, 9)];
    state.keys = { client: 12 };
    state.memory = { limitBytes: 5_000, isShort: true };
    const memory = { rss_bytes: 1000, heap_used_bytes: 100, heap_total_bytes: 200, external_bytes: 10 };
    expect(await bodyOf(state, 'stats')).toEqual({
      connections: { total: 10, per_listener: { main: 6, other: 4 }, per_route: { api: 4 } },
      requests_in_flight: 4,
      requests_queued: 0,
      rate_limiter_keys: { client: 12 },
      memory_limit: { bytes: 5_000, reached: true },
      agents: { auth: { state: 'healthy', connections: 2, in_flight: 3, queue_depth: 4 } },
      memory: { rss_bytes: 2000, heap_used_bytes: 200, heap_total_bytes: 400, external_bytes: 20 },
      event_loop_delay_ms: { mean: 0, p50: 1, p99: 9, max: 20 },
      workers: [
        {
          id: 0,
          pid: 100,
          connections: 5,
          requests_in_flight: 2,
          memory,
          event_loop_delay_ms: { mean: 0, p50: 1, p99: 2.346, max: 20 },
        },
        {
          id: 1,
          pid: 101,
          connections: 5,
          requests_in_flight: 2,
          memory,
          event_loop_delay_ms: { mean: 0, p50: 1, p99: 9, max: 20 },
        },
      ],
    });
  });
});

describe('an agent in /admin/stats', () => {
  const statsOf = async (status: AgentStatus): Promise<unknown> => {
    const state = new FixedGatewayState();
    state.agentStatuses = [status];
    return ((await bodyOf(state, 'stats')) as { readonly agents: Readonly<Record<string, unknown>> }).agents;
  };

  it('has all known members', async () => {
    const status: AgentStatus = {
      ...agent('auth', 'degraded'),
      breaker: 'half_open',
      refusal: 'no',
      unsupportedEvents: ['response_headers'],
      health: reported,
    };
    expect(await statsOf(status)).toEqual({
      auth: {
        state: 'degraded',
        connections: 2,
        in_flight: 3,
        queue_depth: 4,
        breaker: 'half_open',
        refusal: 'no',
        unsupported_events: ['response_headers'],
        message: 'TEXT of the agent',
        disabled_features: ['geo'],
        load: {
          in_flight: 1,
          queue_depth: 2,
          avg_latency_ms: 3.5,
          p50_latency_ms: 4,
          p95_latency_ms: 5,
          p99_latency_ms: 6,
          requests_processed: 7,
          requests_rejected: 8,
          requests_timed_out: 9,
        },
        resources: { cpu_percent: 12.5, memory_bytes: 1024, fd_limit: 0 },
      },
    });
  });

  it('has no members that it has not reported', async () => {
    const health = { ...reported, message: null, disabledFeatures: [], load: null, resources: null };
    const plain = { state: 'healthy', connections: 2, in_flight: 3, queue_depth: 4 };
    expect(await statsOf({ ...agent('auth', 'healthy'), health })).toEqual({ auth: plain });
  });

  it('is bounded for any report, and supports hostile names', async () => {
    const long = 'x'.repeat(100_000);
    const health = { ...reported, message: long, disabledFeatures: Array.from({ length: 1000 }, () => long) };
    const state = new FixedGatewayState();
    state.agentStatuses = [{ ...agent('__proto__', 'healthy'), health, refusal: long }];
    const { body } = await reportsOf(state).report('stats', 'c-1');
    expect(body).toContain('"__proto__":{"state":"healthy"');
    expect(body.length).toBeLessThan(25_000);
  });
});

describe('several processes in /admin/stats', () => {
  it("include the supervisor, restarted workers, and each worker's unhealthy targets", async () => {
    const state = new FixedGatewayState();
    const ofWorker = { ...worker(1, 2), unhealthyTargets: [{ upstream: 'api', address: '10.0.0.2:80' }] };
    state.workerFigures = [ofWorker, worker(2, 3)];
    const whole = new FixedWholeGateway(state);
    whole.changes = {
      supervisor: { pid: 99, memory: { residentBytes: 7, heapUsedBytes: 3, heapTotalBytes: 4, externalBytes: 5 } },
      restarts: [
        { worker: 1, count: 0 },
        { worker: 2, count: 3 },
      ],
      missingWorkers: [3],
      isPartial: true,
    };
    const reports = new StatusReports(state, whole, { wallMs: () => now, monotonicMs: () => 0, turnMs: () => 0 });
    const stats = JSON.parse((await reports.report('stats', 'c-1')).body) as Record<string, unknown>;
    expect(stats).toMatchObject({
      memory: { rss_bytes: 2007, heap_used_bytes: 203, heap_total_bytes: 404, external_bytes: 25 },
      supervisor: { pid: 99, memory: { rss_bytes: 7 } },
      missing_workers: [3],
      partial: true,
    });
    const [one, other] = stats['workers'] as readonly Record<string, unknown>[];
    expect(one).toMatchObject({ id: 1, unhealthy_targets: ['api/10.0.0.2:80'] });
    expect(one).not.toHaveProperty('restarts');
    expect(other).toMatchObject({ id: 2, restarts: 3 });
    expect(other).not.toHaveProperty('unhealthy_targets');
  });
});

describe('a worker without an answer from the supervisor', () => {
  it('gives no metrics, rather than its own as those of all workers', async () => {
    const state = new FixedGatewayState();
    const whole = new FixedWholeGateway(state);
    whole.metricsText = null;
    const reports = new StatusReports(state, whole, { wallMs: () => now, monotonicMs: () => 0, turnMs: () => 0 });
    const answer = await reports.report('metrics', 'c-9');
    expect(answer.status).toBe(503);
    expect(firstHeader(answer.headers, 'retry-after')).toBe('1');
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'supervisor_unavailable', correlation_id: 'c-9' });
  });
});

describe('/metrics', () => {
  it('is the exposition with its media type', async () => {
    const answer = await reportsOf(new FixedGatewayState()).report('metrics', 'c-1');
    expect(answer.body).toBe('up 1\n');
    expect(firstHeader(answer.headers, 'content-type')).toBe('text/plain; version=0.0.4');
  });
});
