import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { call, type HttpAnswer } from '../../support/shared/http-call.js';

const token = 'SECRET-admin-token-0123456789';
const secrets = ['SECRET-', 'secret-of-a-header', 'secret-of-a-query'];
const endpoints = [
  '/health',
  '/ready',
  '/status',
  '/metrics',
  '/admin/upstreams',
  '/admin/version',
  '/admin/routes',
  '/admin/stats',
];
let stack: GatewayStack;
const seen: string[] = [];

/** A request with the token; what comes is kept, so that it can be searched for secrets. */
const ask = async (path: string, method = 'GET'): Promise<HttpAnswer> => {
  const answer = await call(stack.adminPort, { path, method, headers: { Authorization: `Bearer ${token}` } });
  seen.push(JSON.stringify(answer));
  return answer;
};

const json = async (path: string): Promise<unknown> => JSON.parse((await ask(path)).body);

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  stack = await startStack(cleanUp, {
    transport: 'socket',
    agentConfig: `api-keys "SECRET-api-key:alice"; jwt-secret "SECRET-jwt-secret-of-32-octets-or-more"
      basic-auth-users "bob:SECRET-password"`,
    adminToken: token,
    routes: `route "keyed" { matches {
      path "/keyed"; header "X-API-Key" "secret-of-a-header"; query-param "token" "secret-of-a-query" }
      upstream "back" }
      route "metrics-too" { priority "critical"; matches { path "/internal/metrics" }
      service-type "builtin"; builtin-handler "metrics" }`,
    blocks: 'system { instance "edge-1" }',
  });
  stack.upstream.answer = (request, response) => {
    request.resume();
    if (request.url === '/broken') response.destroy();
    else response.end('ok');
  };
  // One of each: refused, passed, failed, too large.
  const headers = { 'X-API-Key': 'SECRET-api-key' };
  expect((await stack.ask()).status).toBe(401);
  expect((await stack.ask({ headers })).status).toBe(200);
  expect((await stack.ask({ headers, path: '/broken' })).status).toBe(502);
  expect((await stack.ask({ headers: { ...headers, 'X-Long': 'x'.repeat(5000) } })).status).toBe(431);
  expect((await stack.ask({ headers: { ...headers, 'Content-Length': 99_999_999 }, method: 'POST' })).status).toBe(413);
  // The connection of the last lingers, so that its answer is not lost, and it counts as in flight so long.
  await untilTrue('the last has ended', async () => {
    const { body } = await call(stack.adminPort, { path: '/metrics', headers: { Authorization: `Bearer ${token}` } });
    return body.includes('status="413"');
  });
});

describe('the admin address', () => {
  it.each(endpoints)('answers %s to GET, and to HEAD without the body', async (path) => {
    const got = await ask(path);
    expect(got.status).toBe(200);
    expect(got.headers['cache-control']).toBe('no-store');
    expect(got.headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/);
    const type = path === '/metrics' ? /^text\/plain; version=0\.0\.4/ : /^application\/json/;
    expect(got.headers['content-type']).toMatch(type);
    expect(got.body).not.toBe('');
    const head = await ask(path, 'HEAD');
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(head.headers['content-type']).toBe(got.headers['content-type']);
  });

  it.each([...endpoints, '/nothing'])('refuses %s without the token', async (path) => {
    for (const authorization of [undefined, 'Bearer wrong', `Basic ${token}`, `Bearer ${token}x`, 'Bearer']) {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      const { status, headers: answered, body } = await call(stack.adminPort, { path, headers });
      expect(status).toBe(401);
      expect(answered['www-authenticate']).toContain('Bearer realm="portcullis-admin"');
      expect(answered['x-correlation-id']).toBeTruthy();
      expect(JSON.parse(body)).toMatchObject({ status: 401, code: expect.stringMatching(/^[a-z_]+$/) });
    }
  });

  it('answers 404 for another path and 405 for another method', async () => {
    const missing = await ask('/admin/nothing');
    expect(missing).toMatchObject({ status: 404, body: expect.stringContaining('"correlation_id"') });
    const other = await ask('/health', 'DELETE');
    expect(other.status).toBe(405);
    expect(other.headers.allow).toBe('GET, HEAD');
  });

  it('reports state, version, upstreams, routes and statistics', async () => {
    expect(await json('/health')).toEqual({ status: 'healthy' });
    expect(await json('/ready')).toMatchObject({ ready: true, absent_agents: [] });
    expect(await json('/status')).toMatchObject({
      status: 'healthy',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      uptime_seconds: expect.any(Number),
      start_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      config_reload_count: 0,
      last_config_reload: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(await json('/admin/version')).toMatchObject({ name: 'portcullis', node_version: process.version });
    expect(await json('/admin/upstreams')).toEqual({
      upstreams: {
        back: {
          healthy: true,
          targets: [expect.objectContaining({ address: stack.upstreamAddress, total_requests: 2, failed_requests: 1 })],
        },
      },
    });
    const routes = (await json('/admin/routes')) as readonly { readonly id: string }[];
    expect(routes.map(({ id }) => id)).toEqual(['health', 'metrics-too', 'keyed', 'all']);
    expect(await json('/admin/stats')).toMatchObject({
      requests_in_flight: 0,
      requests_queued: 0,
      connections: { per_listener: { main: 0 } },
      agents: { auth: { state: 'healthy', in_flight: 0, queue_depth: 0 } },
      memory: { rss_bytes: expect.any(Number) },
      workers: [{ pid: stack.gateway.pid }],
    });
  });

  it('exports every gateway metric of the reference page with its type and the instance', async () => {
    const page = readFileSync(new URL('../../../docs/reference/metrics.md', import.meta.url), 'utf8');
    // What agents report is there once they have.
    const [own = ''] = page.split('\n## What agents report');
    const rows = [...own.matchAll(/^\| `(gateway_\w+)` \| (counter|gauge|histogram) /gm)];
    expect(rows.length).toBeGreaterThan(15);
    const { body } = await ask('/metrics');
    for (const [, name, type] of rows) expect(body).toContain(`# TYPE ${name} ${type}\n`);
    const series = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(series.filter((line) => !line.includes('instance="edge-1"'))).toEqual([]);
    const has = (text: string) => expect(series.some((line) => line.includes(text))).toBe(true);
    has('gateway_upstream_failures_total{');
    for (const status of [200, 401, 413, 431, 502]) has(`status="${status}"`);
    expect(series.find((line) => line.startsWith('gateway_header_size_exceeded_total'))).toMatch(/ 1$/);
    expect(series.find((line) => line.startsWith('gateway_body_size_exceeded_total'))).toMatch(/ 1$/);
  });

  it('serves metrics also on a route that the configuration mounts', async () => {
    const { status, body } = await stack.ask({ path: '/internal/metrics' });
    expect(status).toBe(200);
    expect(body).toContain('gateway_requests_total{');
    seen.push(body);
  });

  it('shows no secret in any endpoint or log line', () => {
    const everything = [...seen, stack.gateway.output(), stack.agent().output()].join('\n');
    expect(seen.length).toBeGreaterThan(endpoints.length * 2);
    for (const secret of secrets) expect(everything).not.toContain(secret);
  });
});

describe('X-Correlation-Id', () => {
  it.each([
    ['a route that there is not', 'GET /keyed/x%2f HTTP/1.1\r\nHost: a', 400],
    ['a missing credential', 'GET / HTTP/1.1\r\nHost: a', 401],
    ['too large a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999', 413],
    ['too long a target', `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: a`, 414],
    ['a head that is no HTTP', 'GET / HTTP/1.1\r\nHost a', 400],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b', 400],
    ['a built-in', 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close', 200],
  ])('is on the response to %s', async (_name, head, status) => {
    const answer = await rawExchange(
      { host: '127.0.0.1', port: stack.port },
      `${head.replace('\r\nHost: a', '\r\nHost: a\r\nConnection: close')}\r\n\r\n`,
      { endsAfter: '"correlation_id"' },
    );
    expect(answer.status).toBe(status);
    expect(answer.headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/);
    if (status >= 400) expect(JSON.parse(answer.body)['correlation_id']).toBe(answer.headers['x-correlation-id']);
  });
});

describe('without a token', () => {
  it('the admin address serves this machine, and refuses changes and foreign host names', async ({ cleanUp }) => {
    const open = await startStack(cleanUp);
    expect((await call(open.adminPort, { path: '/status' })).status).toBe(200);
    expect((await call(open.adminPort, { path: '/admin/stats', method: 'POST' })).status).toBe(403);
    const rebound = await call(open.adminPort, { path: '/status', headers: { Host: 'evil.example' } });
    expect(rebound.status).toBe(400);
    expect((await open.ask({ path: '/no/such', method: 'GET' })).status).toBe(200);
  });
});
