import { describe, expect, it } from 'vitest';
import { ownSampleNames } from '../../../../../src/adapters/outbound/prometheus-metrics/gauge-samples.js';
import { metricDefinitions } from '../../../../../src/adapters/outbound/prometheus-metrics/metric-definitions.js';
import { PrometheusGatewayMetrics } from '../../../../../src/adapters/outbound/prometheus-metrics/prometheus-gateway-metrics.js';
import type { AgentStatus } from '../../../../../src/application/ports/gateway/agent-client.js';
import type { PoolFigures, ProcessGauges } from '../../../../../src/application/ports/gateway/gateway-metrics.js';
import type { AgentMetricFamily } from '../../../../../src/domain/agent-protocol/agent-metrics/metric-family.js';

const gauges = (
  pools: readonly PoolFigures[] = [],
  agentFamilies: () => readonly AgentMetricFamily[] = () => [],
): ProcessGauges => ({
  openConnections: () => 7,
  requestsInFlight: () => 3,
  pools: () => pools,
  memoryBytes: () => 1_000_000,
  workers: () => [],
  missingWorkers: () => [],
  droppedAccessLines: () => 12,
  droppedAuditRecords: () => 3,
  requestsQueued: () => 5,
  upstreams: () => [],
  routeBreakers: () => [],
  rateLimiterKeys: () => ({ client: 9 }),
  isRateLimitStoreUp: () => true,
  certificates: () => [],
  memoryLimit: () => ({ limitBytes: 2_000_000, isShort: false }),
  agents: () => [],
  agentFamilies,
  droppedAgentSeries: () => [{ agent: 'auth', count: 4 }],
});

const linesOf = async (metrics: PrometheusGatewayMetrics): Promise<readonly string[]> =>
  (await metrics.render()).split('\n').filter((line) => line !== '');

const seriesOf = async (metrics: PrometheusGatewayMetrics, name: string): Promise<readonly string[]> =>
  (await linesOf(metrics)).filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name}_`));

describe('the exposition', () => {
  it('has every metric of the table once, with its type, and nothing else', async () => {
    const metrics = new PrometheusGatewayMetrics('edge-1');
    metrics.observe(gauges());
    const types = (await linesOf(metrics)).filter((line) => line.startsWith('# TYPE '));
    expect([...types].sort()).toEqual(
      Object.values(metricDefinitions)
        .map(({ name, type }) => `# TYPE ${name} ${type}`)
        .sort(),
    );
  });

  it('is Prometheus text', () => {
    expect(new PrometheusGatewayMetrics('edge-1').contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('carries the instance on every series', async () => {
    const metrics = new PrometheusGatewayMetrics('edge-1');
    metrics.observe(gauges([{ upstream: 'api', target: '10.0.0.1:80', size: 5, idle: 2, waiting: 0 }]));
    metrics.route('api').finished(200, 0.1);
    metrics.upstream('api').attempted();
    metrics.agent('auth').answered(0.001);
    const series = (await linesOf(metrics)).filter((line) => !line.startsWith('#'));
    expect(series.length).toBeGreaterThan(40);
    expect(series.filter((line) => !line.includes('instance="edge-1"'))).toEqual([]);
  });

  it('shows a new instance name after a reload', async () => {
    const metrics = new PrometheusGatewayMetrics('edge-1');
    metrics.nameInstance('edge-2');
    expect(await seriesOf(metrics, 'gateway_header_size_exceeded_total')).toEqual([
      'gateway_header_size_exceeded_total{instance="edge-2"} 0',
    ]);
  });
});

describe('requests', () => {
  it('are counted by status and route', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    metrics.route('api').finished(200, 0.002);
    metrics.route('api').finished(200, 0.002);
    metrics.route('api').finished(502, 0.002);
    metrics.route(null).finished(404, 0.002);
    expect(await seriesOf(metrics, 'gateway_requests_total')).toEqual([
      'gateway_requests_total{status="200",route="api",instance="i"} 2',
      'gateway_requests_total{status="502",route="api",instance="i"} 1',
      'gateway_requests_total{status="404",route="none",instance="i"} 1',
    ]);
  });

  it('go on being counted when a reload asks for the same route again', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    const old = metrics.route('api');
    old.finished(200, 0.1);
    metrics.route('api').finished(200, 0.1);
    old.finished(200, 0.1);
    expect(await seriesOf(metrics, 'gateway_requests_total')).toEqual([
      'gateway_requests_total{status="200",route="api",instance="i"} 3',
    ]);
  });

  it('without a route share the series of a route that is called none', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    metrics.route('none').finished(200, 0.1);
    metrics.route(null).finished(200, 0.1);
    expect(await seriesOf(metrics, 'gateway_requests_total')).toEqual([
      'gateway_requests_total{status="200",route="none",instance="i"} 2',
    ]);
  });

  it('make no series for a status that is none', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    for (let status = 600; status < 1000; status += 1) metrics.route('api').finished(status, 0.1);
    for (const status of [-1, 99, 200.5, Number.NaN]) metrics.route('api').finished(status, 0.1);
    expect(await seriesOf(metrics, 'gateway_requests_total')).toEqual([
      'gateway_requests_total{status="0",route="api",instance="i"} 404',
    ]);
  });

  it('fill cumulative buckets, bounds included', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    const route = metrics.route('api');
    for (const seconds of [0, 0.001, 0.0011, 60, 61]) route.finished(200, seconds);
    const series = await seriesOf(metrics, 'gateway_request_duration_seconds');
    expect(series).toContain('gateway_request_duration_seconds_bucket{le="0.001",route="api",instance="i"} 2');
    expect(series).toContain('gateway_request_duration_seconds_bucket{le="0.0025",route="api",instance="i"} 3');
    expect(series).toContain('gateway_request_duration_seconds_bucket{le="60",route="api",instance="i"} 4');
    expect(series).toContain('gateway_request_duration_seconds_bucket{le="+Inf",route="api",instance="i"} 5');
    expect(series).toContain('gateway_request_duration_seconds_count{route="api",instance="i"} 5');
    expect(series).toContain('gateway_request_duration_seconds_sum{route="api",instance="i"} 121.0021');
  });

  it('keep the sum where a clock fails', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    const route = metrics.route('api');
    for (const seconds of [1, Number.NaN, -5, Number.POSITIVE_INFINITY]) route.finished(200, seconds);
    const series = await seriesOf(metrics, 'gateway_request_duration_seconds');
    expect(series).toContain('gateway_request_duration_seconds_sum{route="api",instance="i"} 1');
    expect(series).toContain('gateway_request_duration_seconds_count{route="api",instance="i"} 4');
  });
});

describe('upstreams and agents', () => {
  it('have their attempts and failures counted', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    metrics.upstream('api').attempted();
    metrics.upstream('api').attempted();
    metrics.upstream('api').failed();
    expect(await seriesOf(metrics, 'gateway_upstream_attempts_total')).toEqual([
      'gateway_upstream_attempts_total{upstream="api",instance="i"} 2',
    ]);
    expect(await seriesOf(metrics, 'gateway_upstream_failures_total')).toEqual([
      'gateway_upstream_failures_total{upstream="api",instance="i"} 1',
    ]);
  });

  it('are there with 0 before anything happened: an alert needs a start to see a rise', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    metrics.upstream('api');
    metrics.agent('auth');
    expect(await seriesOf(metrics, 'gateway_upstream_failures_total')).toEqual([
      'gateway_upstream_failures_total{upstream="api",instance="i"} 0',
    ]);
    expect(await seriesOf(metrics, 'gateway_agent_timeouts_total')).toEqual([
      'gateway_agent_timeouts_total{agent="auth",instance="i"} 0',
    ]);
  });

  it('keep the kinds of a failing agent apart', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    const agent = metrics.agent('auth');
    agent.answered(0.0002);
    agent.timedOut();
    agent.timedOut();
    agent.failed();
    agent.failedOpen();
    agent.failedOpen();
    agent.failedOpen();
    expect(await seriesOf(metrics, 'gateway_agent_failed_open_total')).toEqual([
      'gateway_agent_failed_open_total{agent="auth",instance="i"} 3',
    ]);
    expect(await seriesOf(metrics, 'gateway_agent_timeouts_total')).toEqual([
      'gateway_agent_timeouts_total{agent="auth",instance="i"} 2',
    ]);
    expect(await seriesOf(metrics, 'gateway_agent_failures_total')).toEqual([
      'gateway_agent_failures_total{agent="auth",instance="i"} 1',
    ]);
    expect(await seriesOf(metrics, 'gateway_agent_latency_seconds')).toContain(
      'gateway_agent_latency_seconds_count{agent="auth",instance="i"} 1',
    );
  });
});

describe('limits and reloads', () => {
  it('are counted by kind', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    metrics.limitExceeded('header_size');
    metrics.limitExceeded('body_size');
    metrics.limitExceeded('body_size');
    metrics.configurationReloaded('failure');
    const lines = await linesOf(metrics);
    expect(lines).toContain('gateway_header_size_exceeded_total{instance="i"} 1');
    expect(lines).toContain('gateway_body_size_exceeded_total{instance="i"} 2');
    expect(lines).toContain('gateway_config_reloads_total{result="success",instance="i"} 0');
    expect(lines).toContain('gateway_config_reloads_total{result="failure",instance="i"} 1');
  });
});

describe('gauges', () => {
  it('are read when somebody asks, the two names of one figure alike', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    let open = 1;
    metrics.observe({ ...gauges(), openConnections: () => open });
    open = 42;
    const lines = await linesOf(metrics);
    expect(lines).toContain('gateway_open_connections{instance="i"} 42');
    expect(lines).toContain('gateway_connections_active{instance="i"} 42');
    expect(lines).toContain('gateway_active_requests{instance="i"} 3');
    expect(lines).toContain('gateway_requests_in_flight{instance="i"} 3');
    expect(lines).toContain('gateway_memory_usage_bytes{instance="i"} 1000000');
    expect(lines).toContain('gateway_access_log_dropped_total{instance="i"} 12');
  });

  it('give one series for a target that two configurations are connected to', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    const pool = { upstream: 'api', target: '10.0.0.1:80', size: 5, idle: 2, waiting: 0 };
    metrics.observe(gauges([pool, { ...pool, size: 1, idle: 0, waiting: 0 }, { ...pool, target: '10.0.0.2:80' }]));
    expect(await seriesOf(metrics, 'gateway_connection_pool_size')).toEqual([
      'gateway_connection_pool_size{upstream="api",target="10.0.0.1:80",instance="i"} 6',
      'gateway_connection_pool_size{upstream="api",target="10.0.0.2:80",instance="i"} 5',
    ]);
  });
});

describe('how agents are', () => {
  const agentOf = (name: string, changes: Partial<AgentStatus> = {}): AgentStatus => ({
    name,
    state: 'healthy',
    connections: 4,
    inFlight: 3,
    queueDepth: 2,
    health: null,
    breaker: null,
    refusal: null,
    unsupportedEvents: [],
    ...changes,
  });

  it.each([
    ['unreachable', 0],
    ['healthy', 1],
    ['degraded', 2],
    ['draining', 3],
    ['unhealthy', 4],
  ] as const)('is a number: %s is %d', async (state, number) => {
    const metrics = new PrometheusGatewayMetrics('i');
    metrics.observe({ ...gauges(), agents: () => [agentOf('auth', { state })] });
    expect(await seriesOf(metrics, 'gateway_agent_state')).toEqual([
      `gateway_agent_state{agent="auth",instance="i"} ${number}`,
    ]);
  });

  it.each([
    ['closed', 0],
    ['half_open', 0.5],
    ['open', 1],
  ] as const)('has the state of a breaker, where there is one: %s is %d', async (breaker, number) => {
    const metrics = new PrometheusGatewayMetrics('i');
    metrics.observe({ ...gauges(), agents: () => [agentOf('auth', { breaker }), agentOf('free')] });
    expect(await seriesOf(metrics, 'gateway_circuit_breaker_state')).toEqual([
      `gateway_circuit_breaker_state{component="agent:auth",instance="i"} ${number}`,
    ]);
  });

  it('has the breakers of routes and targets, whether a target is well, and whether it is drained', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    const target = {
      address: '10.0.0.1:80',
      name: null,
      healthy: false,
      drained: true,
      weight: 1,
      breaker: 'open',
      activeConnections: 0,
      totalRequests: 0,
      failedRequests: 0,
      lastError: 'refused',
      unhealthySinceMs: 1,
    } as const;
    metrics.observe({
      ...gauges(),
      routeBreakers: () => [{ route: 'orders', state: 'half_open' }],
      upstreams: () => [{ name: 'api', targets: [target, { ...target, address: '10.0.0.2:80', breaker: null }] }],
    });
    expect(await seriesOf(metrics, 'gateway_circuit_breaker_state')).toEqual([
      'gateway_circuit_breaker_state{component="route:orders",instance="i"} 0.5',
      'gateway_circuit_breaker_state{component="upstream:api/10.0.0.1:80",instance="i"} 1',
    ]);
    expect(await seriesOf(metrics, 'gateway_target_healthy')).toEqual([
      'gateway_target_healthy{upstream="api",target="10.0.0.1:80",instance="i"} 0',
      'gateway_target_healthy{upstream="api",target="10.0.0.2:80",instance="i"} 0',
    ]);
    expect(await seriesOf(metrics, 'gateway_upstream_healthy')).toEqual([
      'gateway_upstream_healthy{upstream="api",instance="i"} 0',
    ]);
    expect(await seriesOf(metrics, 'gateway_target_drained')).toEqual([
      'gateway_target_drained{upstream="api",target="10.0.0.1:80",instance="i"} 1',
      'gateway_target_drained{upstream="api",target="10.0.0.2:80",instance="i"} 1',
    ]);
  });

  it.each([
    ['gateway_connection_limit_reached_total', 'connectionLimitReached', 'max-total-connections'],
    ['gateway_rate_limit_exceeded_total', 'rateLimitExceeded', 'rate-limit'],
    ['gateway_request_limit_reached_total', 'requestLimitReached', 'max-queued-requests'],
  ] as const)('counts in %s by the limit', async (name, method, limit) => {
    const metrics = new PrometheusGatewayMetrics('i');
    expect(await seriesOf(metrics, name)).toContain(`${name}{limit="${limit}",instance="i"} 0`);
    metrics[method](limit);
    metrics[method](limit);
    expect(await seriesOf(metrics, name)).toContain(`${name}{limit="${limit}",instance="i"} 2`);
  });

  it('has the end of each certificate, those that agents report for SAML included', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    const name = 'gateway_certificate_expiry_timestamp_seconds';
    const reported = (agent: string, labels: Readonly<Record<string, string>>, value: number) => ({
      agent,
      labels,
      value,
    });
    metrics.observe({
      ...gauges(),
      certificates: () => [{ use: 'upstream', name: 'api', subject: 'O=a"b\\', expiryMs: 1_795_000_000_000 }],
      agentFamilies: () => [
        {
          name: 'gateway_agent_saml_certificate_expiry_timestamp_seconds',
          type: 'gauge',
          help: 'Help.',
          series: [
            reported('auth', { subject: 'CN=idp' }, 7),
            reported('auth', { subject: 'CN=idp', host: 'x' }, 5),
            reported('other', {}, 9),
          ],
        },
      ],
    });
    expect(await seriesOf(metrics, name)).toEqual([
      `${name}{use="upstream",name="api",subject="O=a\\"b\\\\",instance="i"} 1795000000`,
      `${name}{use="saml",name="auth",subject="CN=idp",instance="i"} 5`,
      `${name}{use="saml",name="other",subject="",instance="i"} 9`,
    ]);
  });

  it('has the limit of memory where there is one', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    let limit: { readonly limitBytes: number; readonly isShort: boolean } | null = { limitBytes: 5, isShort: true };
    metrics.observe({ ...gauges(), memoryLimit: () => limit });
    expect(await seriesOf(metrics, 'gateway_memory_limit_bytes')).toEqual([
      'gateway_memory_limit_bytes{instance="i"} 5',
    ]);
    expect(await seriesOf(metrics, 'gateway_memory_limited')).toEqual(['gateway_memory_limited{instance="i"} 1']);
    limit = null;
    expect(await seriesOf(metrics, 'gateway_memory_limit_bytes')).toEqual([]);
    expect(await seriesOf(metrics, 'gateway_memory_limited')).toEqual(['gateway_memory_limited{instance="i"} 0']);
  });

  it('has a series for each agent, read when somebody asks', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    let agents = [agentOf('auth'), agentOf('waf', { connections: 1, inFlight: 0, queueDepth: 9 })];
    metrics.observe({ ...gauges(), agents: () => agents });
    expect(await seriesOf(metrics, 'gateway_agent_connections')).toEqual([
      'gateway_agent_connections{agent="auth",instance="i"} 4',
      'gateway_agent_connections{agent="waf",instance="i"} 1',
    ]);
    agents = agents.slice(1);
    expect(await seriesOf(metrics, 'gateway_agent_in_flight')).toEqual([
      'gateway_agent_in_flight{agent="waf",instance="i"} 0',
    ]);
    expect(await seriesOf(metrics, 'gateway_agent_queue_depth')).toEqual([
      'gateway_agent_queue_depth{agent="waf",instance="i"} 9',
    ]);
  });
});

describe('what agents report', () => {
  const family = { name: 'gateway_agent_auth_success_total', help: 'Requests', type: 'counter' } as const;

  it('is exposed after the metrics of the gateway, as they are', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    const took = { name: 'gateway_agent_took_seconds', help: 'Time', type: 'histogram' } as const;
    const buckets = [
      { le: 0.5, count: 1 },
      { le: Number.POSITIVE_INFINITY, count: 3 },
    ];
    metrics.observe(
      gauges([], () => [
        { ...family, series: [{ agent: 'auth', labels: { method: 'jwt' }, value: 7 }] },
        { ...took, series: [{ agent: 'auth', labels: {}, sum: 2.5, buckets }] },
      ]),
    );
    const text = await metrics.render();
    expect(text.slice(text.indexOf('\n\n# HELP gateway_agent_auth_success_total'))).toBe(`

# HELP gateway_agent_auth_success_total Requests
# TYPE gateway_agent_auth_success_total counter
gateway_agent_auth_success_total{agent="auth",method="jwt",instance="i"} 7

# HELP gateway_agent_took_seconds Time
# TYPE gateway_agent_took_seconds histogram
gateway_agent_took_seconds_bucket{le="0.5",agent="auth",instance="i"} 1
gateway_agent_took_seconds_bucket{le="+Inf",agent="auth",instance="i"} 3
gateway_agent_took_seconds_sum{agent="auth",instance="i"} 2.5
gateway_agent_took_seconds_count{agent="auth",instance="i"} 3
`);
    expect(text).toContain('gateway_agent_metrics_dropped_total{agent="auth",instance="i"} 4\n');
  });

  it('carries the instance that a reload has named, and is as it is when somebody asks', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    let value = 1;
    metrics.observe(gauges([], () => [{ ...family, series: [{ agent: 'auth', labels: {}, value }] }]));
    await metrics.render();
    metrics.nameInstance('j');
    value = 2;
    expect(await seriesOf(metrics, family.name)).toEqual([`${family.name}{agent="auth",instance="j"} 2`]);
  });

  it('cannot break out of its place', async () => {
    const metrics = new PrometheusGatewayMetrics('i');
    const evil = 'a"} 1\nevil_total{x="\\';
    const series = [{ agent: evil, labels: { constructor: evil }, value: 1 }];
    metrics.observe(gauges([], () => [{ ...family, help: evil, series }]));
    const lines = await linesOf(metrics);
    expect(lines.filter((line) => line.startsWith('evil'))).toEqual([]);
    const escaped = 'a\\"} 1\\nevil_total{x=\\"\\\\';
    expect(lines.at(-1)).toBe(`${family.name}{agent="${escaped}",constructor="${escaped}",instance="i"} 1`);
    expect(lines.at(-3)).toBe(`# HELP ${family.name} a"} 1\\nevil_total{x="\\\\`);
  });

  it('has none of the names of the gateway', () => {
    for (const { name } of Object.values(metricDefinitions)) expect(ownSampleNames).toContain(name);
    expect(ownSampleNames).toContain('gateway_agent_latency_seconds_bucket');
  });
});

describe('hostile names', () => {
  it.each(['a"} 1\nevil_total{x="', 'back\\slash', 'line\nfeed', '__proto__', 'constructor', '{}", ='])(
    'cannot break out of a label: %j',
    async (name) => {
      const metrics = new PrometheusGatewayMetrics(name);
      metrics.observe(gauges([{ upstream: name, target: name, size: 1, idle: 1, waiting: 0 }]));
      metrics.route(name).finished(200, 0.1);
      metrics.upstream(name).attempted();
      metrics.agent(name).answered(0.1);
      const escaped = name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
      expect(await seriesOf(metrics, 'gateway_upstream_attempts_total')).toEqual([
        `gateway_upstream_attempts_total{upstream="${escaped}",instance="${escaped}"} 1`,
      ]);
      const strays = (await linesOf(metrics)).filter((line) => !line.startsWith('#') && !line.startsWith('gateway_'));
      expect(strays).toEqual([]);
    },
  );
});
