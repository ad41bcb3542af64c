import { beforeEach, describe, expect } from 'vitest';
import type { AgentEvent } from '../../../src/domain/agent-protocol/messages.js';
import { allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import type { CorsPolicy } from '../../../src/domain/gateway/route-transforms/cors-policy.js';
import { firstHeader } from '../../../src/domain/http/header-list.js';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { http2Call, http2Session } from '../../support/gateway/http2-session.js';
import { testConfiguration, testLimits, testRoute, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { plainPolicies } from '../../support/gateway/plain-configurations.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { decide, type GatewayWithAgents, startGatewayWithAgents } from '../../support/shared/gateway-with-agents.js';
import { call } from '../../support/shared/http-call.js';

const page = 'https://app.example.com';
const cors: CorsPolicy = {
  allowOrigins: [page, 'https://*.example.org'],
  allowMethods: ['GET', 'PUT'],
  allowHeaders: ['Authorization'],
  exposeHeaders: ['X-Correlation-Id'],
  allowCredentials: true,
  maxAgeSecs: 600,
};
const policies = { ...plainPolicies, cors };
const burst = 3;
const once = { name: null, limit: { requestsPerSecond: 0.001, burst: 1 }, key: { kind: 'route' } } as const;

const matching = (prefix: string, methods: readonly string[] = [], headers: readonly string[] = []) => ({
  ...testRoute().matches,
  pathPrefixes: [prefix],
  methods,
  headers: headers.map((name) => ({ name, value: null })),
});

let gateway: GatewayWithAgents;
const received: string[] = [];

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const upstream = await startHttpUpstream((request, response) => {
    received.push(`${request.method} ${request.url}`);
    if (request.url === '/slow') return;
    response.writeHead(200, {
      'access-control-allow-origin': '*',
      'Access-Control-Allow-Private-Network': 'true',
      Vary: 'Accept',
      'X-Mine': 'kept',
    });
    response.end('whole');
  });
  cleanUp.add(() => upstream.close());
  const listeners = testConfiguration([]).listeners.map((listener) => ({ ...listener, http2: true }));
  const breaker = { failureThreshold: 1, openMs: 60_000, probes: 1 };
  gateway = await startGatewayWithAgents(cleanUp, upstream.port, [{ name: 'judge', events: ['request_headers'] }], {
    listeners,
    limits: {
      ...testLimits,
      rates: { global: null, perClient: { requestsPerSecond: 1_000, burst: 1_000 }, perRoute: null },
    },
    upstreams: [testUpstream(upstream.port), { ...testUpstream(await freePort()), name: 'gone' }],
    routes: [
      testRoute({ id: 'app', matches: matching('/app'), agents: ['judge'], policies: { ...policies, maxBodySize: 4 } }),
      testRoute({ id: 'app-delete', matches: matching('/app', ['DELETE']) }),
      testRoute({ id: 'app-header', matches: matching('/app', [], ['X-Other']) }),
      testRoute({ id: 'limited', matches: matching('/limited'), policies: { ...policies, rateLimit: once } }),
      testRoute({ id: 'slow', matches: matching('/slow'), policies: { ...policies, requestTimeoutMs: 50 } }),
      testRoute({ id: 'gone', matches: matching('/gone'), upstream: 'gone', circuitBreaker: breaker, policies }),
      testRoute({ id: 'health', matches: matching('/health'), upstream: null, builtinHandler: 'health', policies }),
      testRoute({ id: 'plain', matches: matching('/plain') }),
      testRoute({ id: 'version', matches: matching('/version', [], ['X-Version']), policies }),
    ],
  });
  gateway.service().answer = (event: AgentEvent) => {
    const fields = event.kind === 'request_headers' ? event.headers : [];
    const credentials = firstHeader(fields, 'authorization');
    if (credentials === 'valid') return allowAnswer;
    if (credentials === 'forbidden') return decide({ kind: 'block', status: 403, headers: [], body: 'no' });
    if (credentials === 'sign-on') return decide({ kind: 'redirect', status: 302, url: '/login' });
    if (credentials === 'public') {
      const headers = ['Access-Control-Allow-Origin', '*'];
      return decide({ kind: 'block', status: 200, headers, body: 'metadata' });
    }
    return decide({ kind: 'challenge', challengeType: 'Bearer', params: {} });
  };
});
beforeEach(() => {
  received.splice(0);
  gateway.service().events.splice(0);
});

interface Answer {
  readonly status: number;
  readonly fields: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}
interface Request {
  readonly method?: string;
  readonly body?: string;
  readonly [name: string]: string | readonly string[] | undefined;
}
type Send = (cleanUp: CleanUp, path: string, request?: Request) => Promise<Answer>;

const overHttp1: Send = async (_cleanUp, path, { method = 'GET', body, ...headers } = {}) => {
  const answer = await call(gateway.address.port, {
    path,
    method,
    headers: headers as Record<string, string>,
    ...(body !== undefined && { body }),
  });
  return { status: answer.status, fields: answer.headers, body: answer.body };
};

const overHttp2: Send = async (cleanUp, path, { method = 'GET', body, ...headers } = {}) => {
  const session = http2Session(cleanUp, gateway.url);
  const answer = await http2Call(
    session,
    { ':path': path, ':method': method, ...(headers as Record<string, string>) },
    body ?? null,
  );
  const fields: Record<string, string> = {};
  for (let index = 0; index < answer.headers.length; index += 2) {
    const name = answer.headers[index] as string;
    fields[name] = [fields[name], answer.headers[index + 1]].filter((value) => value !== undefined).join(', ');
  }
  return { status: answer.status, fields, body: answer.body.toString() };
};

const corsFieldsOf = ({ fields }: Answer) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name.startsWith('access-control-')));

const preflight = (method = 'PUT', headers = 'authorization', origin = page): Request => ({
  method: 'OPTIONS',
  origin,
  'access-control-request-method': method,
  'access-control-request-headers': headers,
});

const shared = { 'access-control-allow-origin': page, 'access-control-allow-credentials': 'true' };
const readable = { ...shared, 'access-control-expose-headers': 'X-Correlation-Id' };
const permitted = {
  ...shared,
  'access-control-allow-methods': 'GET, PUT',
  'access-control-allow-headers': 'Authorization',
  'access-control-max-age': '600',
};

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
])('CORS over %s', (_, send) => {
  it('lets a listed origin read the response of the upstream', async ({ cleanUp }) => {
    const answer = await send(cleanUp, '/app', { origin: page, authorization: 'valid' });
    expect(answer).toMatchObject({ status: 200, body: 'whole' });
    expect(answer.fields).toMatchObject({ vary: 'Accept, Origin', 'x-mine': 'kept' });
    expect(corsFieldsOf(answer)).toEqual(readable);
  });

  it.for([
    ['/app', {}, 401],
    ['/app', { authorization: 'forbidden' }, 403],
    ['/app', { authorization: 'sign-on' }, 302],
    ['/app', { authorization: 'valid', method: 'PUT', body: 'too long' }, 413],
    ['/slow', {}, 504],
    ['/health', {}, 200],
  ] as const)(
    'lets a listed origin read the response of the gateway: %s %j %d',
    async ([path, request, status], { cleanUp }) => {
      const answer = await send(cleanUp, path, { origin: page, ...request });
      expect(answer.status).toBe(status);
      expect(corsFieldsOf(answer)).toEqual(readable);
      expect(answer.fields).toMatchObject({
        vary: expect.stringMatching(/\bOrigin$/),
        'x-correlation-id': expect.any(String),
      });
    },
  );

  it('lets a listed origin read 502 and 503 of an upstream that is gone', async ({ cleanUp }) => {
    const answers = [await send(cleanUp, '/gone', { origin: page }), await send(cleanUp, '/gone', { origin: page })];
    expect([502, 503]).toContain(answers[0]?.status);
    expect(answers[1]?.status).toBe(503);
    for (const answer of answers) expect(corsFieldsOf(answer)).toEqual(readable);
  });

  it.for([
    'null',
    'https://evil-example.org',
    'https://example.org',
    'https://example.org.evil.test',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://APP.example.com',
    'https://app.example.com.',
    'https://app.example.com, https://app.example.com',
  ])('gives no other origin anything: %s', async (origin, { cleanUp }) => {
    for (const request of [{ origin, authorization: 'valid' }, { origin }, preflight('PUT', 'authorization', origin)]) {
      const answer = await send(cleanUp, '/app', request);
      expect(corsFieldsOf(answer)).toEqual({});
      expect(answer.fields['vary']).toMatch(/\bOrigin$/);
    }
  });

  it('answers names below a wildcard', async ({ cleanUp }) => {
    const origin = 'https://a.b.example.org';
    const answer = await send(cleanUp, '/app', { origin });
    expect(answer.fields['access-control-allow-origin']).toBe(origin);
  });

  it('varies by Origin for a request without one', async ({ cleanUp }) => {
    const answer = await send(cleanUp, '/app', { authorization: 'valid' });
    expect(answer.fields['vary']).toBe('Accept, Origin');
    expect(corsFieldsOf(answer)).toEqual({});
  });

  it('answers a preflight without credentials, agents, or the upstream', async ({ cleanUp }) => {
    const answer = await send(cleanUp, '/app/x?y', preflight());
    expect(answer).toMatchObject({ status: 204, body: '' });
    expect(answer.fields).toMatchObject({ vary: 'Origin', 'x-correlation-id': expect.any(String) });
    expect(answer.fields['content-length']).toBeUndefined();
    expect(corsFieldsOf(answer)).toEqual(permitted);
    expect(gateway.service().events).toEqual([]);
    expect(received).toEqual([]);
  });

  it.for([
    ['PATCH', 'authorization'],
    ['put', 'authorization'],
    ['PUT', 'authorization, x-unlisted'],
  ] as const)('answers a preflight for %s with %s without fields', async ([method, headers], { cleanUp }) => {
    const answer = await send(cleanUp, '/app', preflight(method, headers));
    expect(answer.status).toBe(204);
    expect(corsFieldsOf(answer)).toEqual({});
    expect(received).toEqual([]);
  });

  it('charges a preflight to no bucket of its route', async ({ cleanUp }) => {
    for (let count = 0; count < burst; count += 1) {
      expect((await send(cleanUp, '/limited', preflight())).status).toBe(204);
    }
    const answers = [
      await send(cleanUp, '/limited', { origin: page }),
      await send(cleanUp, '/limited', { origin: page }),
    ];
    expect(answers[1]?.status).toBe(429);
    expect(corsFieldsOf(answers[1] as Answer)).toEqual(readable);
  });

  it('routes a preflight by the method and the headers that it asks for', async ({ cleanUp }) => {
    // DELETE has a route without CORS, and so does a request with X-Other.
    for (const request of [preflight('DELETE'), preflight('PUT', 'authorization, X-Other')]) {
      const answer = await send(cleanUp, '/app', { ...request, authorization: 'valid' });
      expect(answer).toMatchObject({ status: 200, body: 'whole' });
      expect(answer.fields['access-control-allow-methods']).toBeUndefined();
    }
    expect(received).toEqual(['OPTIONS /app', 'OPTIONS /app']);
    expect((await send(cleanUp, '/version', preflight('PUT'))).status).toBe(404);
    expect((await send(cleanUp, '/version', preflight('PUT', 'x-version'))).status).toBe(204);
  });

  it('treats OPTIONS without the fields of a preflight like other requests', async ({ cleanUp }) => {
    const { origin, 'access-control-request-method': asked, ...rest } = preflight();
    const requests: readonly Request[] = [
      { ...rest, origin },
      { ...rest, 'access-control-request-method': asked },
      { method: 'OPTIONS' },
    ];
    for (const request of requests) expect((await send(cleanUp, '/app', request)).status).toBe(401);
    expect(gateway.service().events).toHaveLength(requests.length);
  });

  it('leaves a route without it alone', async ({ cleanUp }) => {
    for (const request of [{ origin: page }, preflight()]) {
      const answer = await send(cleanUp, '/plain', request);
      expect(answer.fields).toMatchObject({ 'access-control-allow-origin': '*', vary: 'Accept' });
      expect(answer.fields['access-control-allow-private-network']).toBe('true');
    }
    expect(received).toEqual(['GET /plain', 'OPTIONS /plain']);
  });

  it('leaves the fields of an agent that publishes a document', async ({ cleanUp }) => {
    const answer = await send(cleanUp, '/app', { origin: 'https://evil.test', authorization: 'public' });
    expect(answer).toMatchObject({ status: 200, body: 'metadata' });
    expect(corsFieldsOf(answer)).toEqual({ 'access-control-allow-origin': '*' });
  });

  it('logs a preflight under its route', async ({ cleanUp }) => {
    await send(cleanUp, '/app', preflight());
    expect(gateway.accessRecords.at(-1)).toMatchObject({ method: 'OPTIONS', route: 'app', status: 204, path: '/app' });
  });
});

describe('Origin twice', () => {
  it('gets nothing', async () => {
    const headers = ['Host', 'a', 'Origin', page, 'Origin', page, 'Connection', 'close'];
    for (const request of [headers, [...headers, 'Access-Control-Request-Method', 'PUT']]) {
      const method = request.length > headers.length ? 'OPTIONS' : 'GET';
      const { headers: fields } = await call(gateway.address.port, { path: '/health', method, headers: request });
      expect(fields['access-control-allow-origin']).toBeUndefined();
      expect(fields.vary).toBe('Origin');
    }
  });
});

describe('CORS of a route', () => {
  const ask = (port: number, path: string, { method = 'GET', ...headers }: Request) =>
    call(port, { path, method, headers: headers as Record<string, string> });

  it('answers the preflights of a split without a side', async ({ cleanUp }) => {
    const sides = [{ upstream: 'upstream', weight: 1 }];
    const divided = await startGatewayWithAgents(cleanUp, await freePort(), [], {
      routes: [testRoute({ upstream: null, split: { key: null, sides }, policies })],
    });
    expect(await ask(divided.address.port, '/', preflight())).toMatchObject({ status: 204, headers: permitted });
    expect(await ask(divided.address.port, '/', { origin: page })).toMatchObject({ status: 502, headers: readable });
    expect(divided.accessRecords[0]).toMatchObject({ status: 204, upstream: null });
  });

  it('answers a preflight for an encoded path as the request that it announces', async ({ cleanUp }) => {
    const path = { ...plainPolicies.path, allowEncodedSlash: true };
    const encoded = await startGatewayWithAgents(cleanUp, await freePort(), [{ name: 'judge' }], {
      routes: [
        testRoute({ id: 'files', matches: matching('/files', ['GET', 'PUT']), policies: { ...policies, path } }),
        testRoute({ id: 'options', matches: matching('/files/a', ['OPTIONS']), agents: ['judge'] }),
      ],
    });
    const { port } = encoded.address;
    expect(await ask(port, '/files/a%2Fb', preflight())).toMatchObject({ status: 204, headers: permitted });
    expect(await ask(port, '/files/a%2F..%2Fb', preflight())).toMatchObject({ status: 400, headers: shared });
  });

  it('holds for a response that opens a tunnel', async ({ cleanUp }) => {
    const upstream = await startHttpUpstream((_request, response) => void response.end());
    cleanUp.add(() => upstream.close());
    upstream.server.on('upgrade', (_request, socket) => {
      const fields = 'Upgrade: websocket\r\nConnection: Upgrade\r\nAccess-Control-Allow-Origin: *';
      socket.end(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n\r\n`);
    });
    const tunnelled = await startGatewayWithAgents(cleanUp, upstream.port, [], { routes: [testRoute({ policies })] });
    const fields = [
      'Host: a',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      `Origin: ${page}`,
    ];
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    const { status, headers } = await rawExchange(
      tunnelled.address,
      ['GET / HTTP/1.1', ...fields, key, '', ''].join('\r\n'),
    );
    expect(status).toBe(101);
    expect(headers).toMatchObject({ ...readable, vary: 'Origin' });
  });
});

describe('a request without a route', () => {
  const start = (cleanUp: CleanUp, port: number) =>
    startGatewayWithAgents(cleanUp, port, [], {
      routes: [
        testRoute({ id: 'app', matches: matching('/app', ['GET']), policies }),
        testRoute({ id: 'closed', matches: matching('/closed', ['PUT']) }),
        testRoute({
          id: 'options',
          matches: matching('/options', ['OPTIONS']),
          upstream: null,
          builtinHandler: 'health',
        }),
      ],
      limits: {
        ...testLimits,
        rates: { global: null, perClient: { requestsPerSecond: 0.001, burst: 5 }, perRoute: null },
      },
      unrouted: policies,
    });

  it('has the CORS of defaults, and its preflight is answered by the gateway', async ({ cleanUp }) => {
    const defaulting = await start(cleanUp, await freePort());
    const ask = (path: string, request: Request) => {
      const { method = 'GET', ...headers } = request;
      return call(defaulting.address.port, { path, method, headers: headers as Record<string, string> });
    };
    const found = await ask('/unknown', { origin: page });
    expect(found).toMatchObject({ status: 404, headers: readable });
    expect(found.headers.vary).toMatch(/\bOrigin$/);
    expect(await ask('/unknown', preflight())).toMatchObject({ status: 204, headers: permitted });
    // The route of the announced request has no CORS, so the gateway does not permit the request.
    const closed = await ask('/closed', preflight());
    expect(closed.status).toBe(404);
    expect(closed.headers['access-control-allow-methods']).toBeUndefined();
    // OPTIONS itself has a route.
    expect((await ask('/options', preflight())).headers['access-control-allow-methods']).toBeUndefined();
    const statuses = [
      await ask('/unknown', preflight()),
      await ask('/unknown', preflight()),
      await ask('/unknown', preflight()),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([204, 204, 429]);
  });
});

describe('the rates of the gateway', () => {
  it('count preflights', async ({ cleanUp }) => {
    const perClient = { requestsPerSecond: 0.001, burst: 2 };
    const route = testRoute({ policies });
    const limited = await startGatewayWithAgents(cleanUp, await freePort(), [], {
      limits: { ...testLimits, rates: { global: null, perClient, perRoute: null } },
      routes: [route],
    });
    const headers = preflight() as Record<string, string>;
    const ask = () => call(limited.address.port, { method: 'OPTIONS', headers });
    const answers = [await ask(), await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 429]);
    expect(answers[1]?.headers['ratelimit']).toMatch(/^"client";r=0;/);
    expect(answers[2]?.headers['access-control-allow-origin']).toBe(page);
  });
});
