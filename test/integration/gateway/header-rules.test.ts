import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { noResponseRules } from '../../../src/application/gateway/proxy-request/exchange.js';
import { allowAnswer } from '../../../src/domain/agent-protocol/messages.js';
import {
  type ConfiguredGateway,
  startConfigured,
  textConfiguration,
} from '../../support/gateway/configured-gateway.js';
import { type Echo, echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { http2Call, http2Session } from '../../support/gateway/http2-session.js';
import { startHttp2Upstream } from '../../support/gateway/http2-upstream.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { startRawUpstream } from '../../support/gateway/raw-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

interface Plan {
  readonly port: number;
  readonly routes: string;
  readonly defaults?: string;
  readonly agents?: string;
  readonly upstream?: string;
  readonly more?: string;
}

const textOf = ({ port, routes, defaults = '', agents = '', upstream = '', more = '' }: Plan): string =>
  `listeners { listener "main" { address "127.0.0.1:0"; http2 #true } }
    defaults { policies { ${defaults} } }
    routes { ${routes} }
    upstreams {
      upstream "api" { target "127.0.0.1:${port}"; ${upstream} }
      upstream "gone" { target "127.0.0.1:1" }
    }
    agents { ${agents} }
    ${more}`;

const start = (cleanUp: CleanUp, plan: Plan): Promise<ConfiguredGateway> => startConfigured(cleanUp, textOf(plan));

const route = (name: string, policies: string, more = 'upstream "api"; agents #null'): string =>
  `route "${name}" { matches { path-prefix "/${name}" }; ${more}; policies { ${policies} } }`;

const startEcho = async (cleanUp: CleanUp): Promise<number> => {
  const upstream = await startHttpUpstream(echo);
  cleanUp.add(() => upstream.close());
  return upstream.port;
};

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Send = (cleanUp: CleanUp, gateway: ConfiguredGateway, path: string, fields?: readonly string[]) => Promise<Answer>;

const overHttp1: Send = (_cleanUp, gateway, path, fields = []) => {
  const lines = fields.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${fields[index + 1]}`] : []));
  const head = [`GET ${path} HTTP/1.1`, 'Host: a.example:80', 'Connection: close', ...lines, '', ''].join('\r\n');
  return rawExchange(gateway.address, head);
};

const overHttp2: Send = async (cleanUp, gateway, path, fields = []) => {
  const pairs = fields.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), fields[index + 1]]] : []));
  const session = http2Session(cleanUp, gateway.url);
  const sent = { ':path': path, ':authority': 'a.example:80', ...Object.fromEntries(pairs) };
  const { status, headers, body } = await http2Call(session, sent);
  const named = headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]]] : []));
  return { status, headers: Object.fromEntries(named), body: body.toString() };
};

/** The headers that the upstream got, with names in lower case. */
const received = ({ body }: Answer): Readonly<Record<string, string[]>> => {
  const { rawHeaders } = JSON.parse(body) as Echo;
  const found: Record<string, string[]> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    found[name] = [...(found[name] ?? []), rawHeaders[index + 1] as string];
  }
  return found;
};

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
])('request-header rules over %s', (_protocol, send) => {
  it('change the request that the upstream gets, with the values of the request', async ({ cleanUp }) => {
    const rules = `request-headers {
      remove "X-Debug"
      set { "X-Real-IP" "{client_ip}"; "X-Seen" "{method} {scheme} {host} {path} {query} {route} {upstream}"; "X-Target" "{path_query}" }
      add { "Via" "1.1 portcullis" "1.1 again" }
    }`;
    const gateway = await start(cleanUp, { port: await startEcho(cleanUp), routes: route('r', rules) });
    const fields = [
      'X-Debug',
      '1',
      'x_debug',
      '2',
      'X-Real-IP',
      '203.0.113.9',
      'X_Real_IP',
      '203.0.113.9',
      'Via',
      '1.0 client',
      'X-Kept',
      'k',
    ];
    const headers = received(await send(cleanUp, gateway, '/r/a/../b?q=%20', fields));
    expect(headers).toMatchObject({
      'x-real-ip': ['127.0.0.1'],
      'x-seen': ['GET http a.example /r/b ?q=%20 r api'],
      'x-target': ['/r/b?q=%20'],
      'x-kept': ['k'],
    });
    expect((headers['via'] ?? []).join(', ')).toBe('1.0 client, 1.1 portcullis, 1.1 again');
    expect(Object.keys(headers).filter((name) => /debug|_/.test(name))).toEqual([]);
  });

  it('send no empty header, and leave the client no way to set one that a rule sets', async ({ cleanUp }) => {
    const rules = 'request-headers { set { "X-Account" "{user_id}"; "X-Query" "{query}" } }';
    const gateway = await start(cleanUp, { port: await startEcho(cleanUp), routes: route('r', rules) });
    const fields = ['X-Account', 'mallory', 'x_account', 'mallory', 'X-User-Id', 'mallory', 'X_User_Id', 'mallory'];
    const answer = await send(cleanUp, gateway, '/r', fields);
    expect(answer.body).not.toContain('mallory');
    expect(Object.keys(received(answer)).filter((name) => /account|query/.test(name))).toEqual([]);
  });

  it('fill {user_id} with what an agent of the route sets, never with what the client sent', async ({ cleanUp }) => {
    const rules =
      'request-headers { set { "X-Account" "{user_id}" } }; response-headers { set { "X-For" "{user_id}" } }';
    const gateway = await start(cleanUp, {
      port: await startEcho(cleanUp),
      routes: route('r', rules, 'upstream "api"; agents "auth"'),
      agents: 'agent "auth" { transport "embedded"; config { user-id-header "X-Who" } }',
    });
    let userId = 'alice';
    gateway.service.answer = () => ({
      ...allowAnswer,
      requestHeaders: userId === '' ? [] : [{ kind: 'set', name: 'X-Who', value: userId }],
    });
    const fields = ['X-Who', 'mallory', 'x_who', 'mallory', 'X-User-Id', 'mallory', 'X-Account', 'mallory'];
    const known = await send(cleanUp, gateway, '/r', fields);
    expect(received(known)['x-account']).toEqual(['alice']);
    expect(known.headers['x-for']).toBe('alice');
    userId = '';
    const unknown = await send(cleanUp, gateway, '/r', fields);
    expect(unknown.body).not.toContain('mallory');
    expect(received(unknown)['x-account']).toBeUndefined();
    expect(unknown.headers['x-for']).toBeUndefined();
    // The agent judged the request of the client, not the one that is forwarded.
    expect(JSON.stringify(gateway.service.events[0])).toContain('"x-account","mallory"');
  });

  it('leave {user_id} empty in responses that precede the agents: to preflights and unsafe paths', async ({
    cleanUp,
  }) => {
    const rules =
      'allow-encoded-slash #true; cors { allow-origins "https://a.test" }; response-headers { set { "X-For" "{user_id}" } }';
    const gateway = await start(cleanUp, {
      port: await startEcho(cleanUp),
      routes: route('r', rules, 'upstream "api"; agents "auth"'),
      agents: 'agent "auth" { transport "embedded"; config { user-id-header "X-Who" } }',
    });
    const unsafe = await send(cleanUp, gateway, '/r/..%2fx', ['X-Who', 'mallory']);
    expect([unsafe.status, unsafe.headers['x-for']]).toEqual([400, undefined]);
    const preflight = await rawExchange(
      gateway.address,
      'OPTIONS /r HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\nOrigin: https://a.test\r\nAccess-Control-Request-Method: GET\r\nX-Who: mallory\r\n\r\n',
    );
    expect([preflight.status, preflight.headers['x-for']]).toEqual([204, undefined]);
  });

  it('bring no line break into a header, whatever the client writes', async ({ cleanUp }) => {
    const rules =
      'request-headers { set { "X-Path" "{path}"; "X-Query" "{query}"; "X-Host" "{host}" } }; response-headers { set { "X-Path" "{path}{query}" } }';
    const gateway = await start(cleanUp, { port: await startEcho(cleanUp), routes: route('r', rules) });
    const path = '/r/%0d%0aX-Injected:%20yes?a=%0d%0aX-Injected:%20yes';
    const answer = await send(cleanUp, gateway, path);
    expect(answer.headers['x-injected']).toBeUndefined();
    if (answer.status === 200) expect(received(answer)['x-injected']).toBeUndefined();
  });

  it('leave sticky sessions alone', async ({ cleanUp }) => {
    const upstreams = 'target "127.0.0.1:PORT"; sticky-cookie { name "stick" }';
    const port = await startEcho(cleanUp);
    const gateway = await start(cleanUp, {
      port,
      upstream: upstreams.replace('PORT', String(await startEcho(cleanUp))),
      routes: route('r', 'request-headers { remove "Cookie" }'),
    });
    const first = await send(cleanUp, gateway, '/r');
    const cookie = first.headers['set-cookie']?.split(';')[0] ?? '';
    expect(cookie).toMatch(/^stick=/);
    const second = await send(cleanUp, gateway, '/r', ['Cookie', cookie]);
    expect(received(second)['cookie']).toBeUndefined();
    expect(second.headers['set-cookie']).toBeUndefined();
  });

  it('skip a header that an agent declares later, with one line in the log, until the agent withdraws it', async ({
    cleanUp,
  }) => {
    const rules =
      'request-headers { remove "X-Plan"; set { "X_Plan" "gold"; "X-Other" "o" } }; response-headers { set { "X-Plan" "gold" } }';
    const gateway = await start(cleanUp, {
      port: await startEcho(cleanUp),
      routes: [route('r', rules), route('s', rules)].join('; '),
      agents: 'agent "auth" { transport "embedded" }',
    });
    const errors = () => gateway.logger.lines.filter(({ level }) => level === 'error');
    const before = await send(cleanUp, gateway, '/r', ['X-Plan', 'client']);
    expect(received(before)['x_plan']).toEqual(['gold']);
    expect(before.headers['x-plan']).toBe('gold');
    gateway.service.said = { ownedHeaders: ['X-Plan'] };
    await gateway.declareAnew();
    for (const path of ['/r', '/s', '/r']) {
      const answer = await send(cleanUp, gateway, path, ['X-Plan', 'client', 'X_Plan', 'client']);
      const headers = received(answer);
      expect(headers['x-plan'] ?? headers['x_plan']).toBeUndefined();
      expect(headers['x-other']).toEqual(['o']);
      expect(answer.headers['x-plan']).toBeUndefined();
    }
    const said = errors().map(({ fields }) => fields);
    expect(said.toSorted((one, other) => String(one?.['rule']).localeCompare(String(other?.['rule'])))).toEqual([
      { rule: 'request-headers { remove "X-Plan" }', routes: 'r, s' },
      { rule: 'request-headers { set "X_Plan" }', routes: 'r, s' },
      { rule: 'response-headers { set "X-Plan" }', routes: 'r, s' },
    ]);
    gateway.service.said = { ownedHeaders: ['X-Unrelated'] };
    await gateway.declareAnew();
    expect((await send(cleanUp, gateway, '/r')).headers['x-plan']).toBe('gold');
    expect(errors()).toHaveLength(3);
  });
});

const defaults = `response-headers {
  remove "Server" "X-Powered-By"
  set { "Strict-Transport-Security" "max-age=31536000"; "X-Route" "{route}"; "X-Id" "{correlation_id}" }
}`;

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
])('response-header rules of defaults over %s', (_protocol, send) => {
  const startAll = async (cleanUp: CleanUp): Promise<ConfiguredGateway> =>
    start(cleanUp, {
      port: await startEcho(cleanUp),
      defaults,
      agents: 'agent "auth" { transport "embedded" }',
      more: 'limits { max-header-count 20 }',
      routes: [
        route('open', 'max-body-size 4'),
        route('judged', '', 'upstream "api"; agents "auth"'),
        route('gone', '', 'upstream "gone"; agents #null'),
        route(
          'rated',
          'rate-limit { requests-per-second 0.01; burst 1; key "route" }',
          'upstream "gone"; agents #null',
        ),
        route('built', '', 'builtin-handler "health"'),
        route('own', 'response-headers { remove "Strict-Transport-Security"; set { "X-Route" "mine" } }'),
        route('none', 'response-headers #null'),
      ].join('; '),
    });

  it('hold for every response: of an upstream, an agent, the gateway, with and without a route', async ({
    cleanUp,
  }) => {
    const gateway = await startAll(cleanUp);
    gateway.service.answer = () => ({
      ...allowAnswer,
      decision: { kind: 'block', status: 403, body: 'no', headers: ['Server', 'agent'] },
    });
    const many = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? `X-F${index}` : 'v'));
    const expected: readonly (readonly [string, number, string, (readonly string[])?])[] = [
      ['/open', 200, 'open'],
      ['/judged', 403, 'judged'],
      ['/gone', 502, 'gone'],
      ['/rated', 502, 'rated'],
      ['/rated', 429, 'rated'],
      ['/built', 200, 'built'],
      ['/nowhere', 404, ''],
      ['/open/%00', 400, ''],
      ['/open', 431, '', many],
    ];
    for (const [path, status, route, fields] of expected) {
      const answer = await send(cleanUp, gateway, path, fields);
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.headers['strict-transport-security'], path).toBe('max-age=31536000');
      expect(answer.headers['x-route'] ?? '', path).toBe(route);
      expect(answer.headers['x-id'], path).toBe(answer.headers['x-correlation-id']);
      expect(answer.headers['server'], path).toBeUndefined();
    }
  });

  it('leave the Content-Security-Policy of pages of the gateway and of agents, which need their own', async ({
    cleanUp,
  }) => {
    const gateway = await start(cleanUp, {
      port: await startEcho(cleanUp),
      defaults: 'response-headers { set { "Content-Security-Policy" "default-src \'self\'" } }',
      routes: [route('open', ''), route('judged', '', 'upstream "api"; agents "auth"')].join('; '),
      agents: 'agent "auth" { transport "embedded" }',
    });
    const policy = "script-src 'sha256-x'";
    gateway.service.answer = () => ({
      ...allowAnswer,
      decision: { kind: 'block', status: 200, body: 'page', headers: ['Content-Security-Policy', policy] },
    });
    const shown = async (path: string, fields: readonly string[] = []) =>
      (await send(cleanUp, gateway, path, fields)).headers['content-security-policy'];
    expect(await shown('/judged')).toBe(policy);
    expect(await shown('/nowhere', ['Accept', 'text/html'])).toContain("default-src 'none'");
    expect(await shown('/nowhere')).toBe("default-src 'self'");
    expect(await shown('/open')).toBe("default-src 'self'");
  });

  it('give way to the rules of a route', async ({ cleanUp }) => {
    const gateway = await startAll(cleanUp);
    const own = await send(cleanUp, gateway, '/own');
    expect(own.headers['strict-transport-security']).toBeUndefined();
    expect(own.headers['x-route']).toBe('mine');
    expect(own.headers['x-id']).toBe(own.headers['x-correlation-id']);
    const none = await send(cleanUp, gateway, '/none');
    expect(none.headers['x-id']).toBeUndefined();
  });
});

describe('response-header rules', () => {
  it('hold for malformed requests', async ({ cleanUp }) => {
    const gateway = await start(cleanUp, { port: await startEcho(cleanUp), defaults, routes: route('r', '') });
    for (const [octets, status] of [
      ['GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
      ['GET /\u0001 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
      ['nonsense\r\n\r\n', 400],
      [`GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414],
    ] as const) {
      const answer = await rawExchange(gateway.address, octets);
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({
        'strict-transport-security': 'max-age=31536000',
        'x-id': answer.headers['x-correlation-id'],
      });
      expect(answer.headers['x-route']).toBeUndefined();
    }
  });

  it('hold for connections that the gateway refuses', async ({ cleanUp }) => {
    const gateway = await start(cleanUp, {
      port: await startEcho(cleanUp),
      defaults,
      routes: route('r', ''),
      more: 'limits { max-total-connections 1 }',
    });
    const held = connect(gateway.address);
    cleanUp.add(() => void held.destroy());
    held.write('GET /r HTTP/1.1\r\nHost: a\r\n\r\n');
    await new Promise((resolve) => held.once('data', resolve));
    const refused = await rawExchange(gateway.address, 'GET /r HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(refused.status).toBe(503);
    expect(refused.headers['strict-transport-security']).toBe('max-age=31536000');
    expect(refused.headers['x-id']).toBe(refused.headers['x-correlation-id']);
  });

  it('are not undone by trailers or interim responses of the upstream', async ({ cleanUp }) => {
    const upstream = await startRawUpstream((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nServer: early\r\nX_Version: 1\r\nLink: </a>\r\n\r\n');
      const head = 'HTTP/1.1 200 OK\r\nServer: head\r\nX-Version: 1\r\nTransfer-Encoding: chunked\r\n\r\n';
      socket.write(`${head}2\r\nok\r\n0\r\nServer: late\r\nx_version: 1\r\nX-Sum: 42\r\n\r\n`);
    });
    cleanUp.add(() => upstream.close());
    const rules = 'response-headers { remove "Server"; set { "X-Version" "hidden" }; add { "Link" "</b>" } }';
    const gateway = await start(cleanUp, { port: upstream.port, routes: route('r', rules) });
    const { raw } = await rawExchange(gateway.address, 'GET /r HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(raw).toMatch(/^HTTP\/1\.1 103 /);
    expect(raw).toContain('Link: </a>\r\n');
    expect(raw).toContain('Link: </b>\r\n');
    expect(raw.toLowerCase()).not.toContain('server:');
    expect(raw.match(/version[^\r]*/gi)).toEqual(['Version: hidden']);
    expect(raw).toContain('X-Sum: 42');
  });

  it('hold for a WebSocket, which still opens', async ({ cleanUp }) => {
    const upstream = await startHttpUpstream(echo);
    const sockets = new WebSocketServer({ server: upstream.server });
    sockets.on('connection', (socket) => socket.send('hello'));
    cleanUp.add(async () => {
      for (const each of sockets.clients) each.terminate();
      await upstream.close();
    });
    const gateway = await start(cleanUp, { port: upstream.port, defaults, routes: route('r', '') });
    const socket = new WebSocket(`${gateway.url.replace('http:', 'ws:')}/r`);
    cleanUp.add(() => socket.terminate());
    const upgraded = new Promise<string | undefined>((resolve, reject) => {
      socket.once('upgrade', (response) => resolve(response.headers['strict-transport-security']));
      socket.once('error', reject);
    });
    const message = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))));
    expect(await upgraded).toBe('max-age=31536000');
    expect(await message).toBe('hello');
  });

  it('let no octet of a request begin a line of a header, in the request or in the response', async ({ cleanUp }) => {
    const value = '{path}{query}{host}{method}{correlation_id}{client_ip}{scheme}{path_query}';
    const rules = `request-headers { set { "X-All" "${value}" } }; response-headers { set { "X-All" "${value}" } }`;
    const seen: string[] = [];
    const upstream = await startRawUpstream((socket, head) => {
      seen.push(head);
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
    cleanUp.add(() => upstream.close());
    const gateway = await start(cleanUp, { port: upstream.port, routes: route('r', rules), defaults: rules });
    const statuses = new Set<number>();
    for (let code = 0; code < 256; code += 1) {
      const attack = `${String.fromCharCode(code)}X-Injected:yes`;
      const head = [
        `GET /r/${attack}?${attack} HTTP/1.1`,
        `Host: a${attack.replace(':', '')}`,
        `X-Correlation-Id: c${attack}`,
        'Connection: close',
      ];
      const { raw, status } = await rawExchange(gateway.address, `${head.join('\r\n')}\r\n\r\n`);
      statuses.add(status);
      expect(raw.slice(0, raw.indexOf('\r\n\r\n')), `octet ${code}`).not.toMatch(/[\r\n]x-injected/i);
    }
    for (const head of seen) expect(head).not.toMatch(/[\r\n]x-injected/i);
    expect([...statuses].toSorted()).toEqual([200, 400]);
    expect(seen.length).toBeGreaterThan(10);
  });

  it('hold before and behind HTTP/2', async ({ cleanUp }) => {
    let names: readonly string[] = [];
    const upstream = await startHttp2Upstream(cleanUp, (stream, _headers, rawHeaders) => {
      names = rawHeaders;
      stream.respond({ ':status': 200, server: 'h2', 'x-kept': 'k' });
      stream.end('ok');
    });
    const rules =
      'request-headers { set { "X-Real-IP" "{client_ip}" }; remove "X-Gone" }; response-headers { remove "Server"; set { "X-Frame-Options" "DENY" } }';
    const gateway = await start(cleanUp, {
      port: upstream.port,
      upstream: 'http-version "2"',
      routes: route('r', rules),
    });
    for (const send of [overHttp1, overHttp2]) {
      const { status, headers } = await send(cleanUp, gateway, '/r', ['X-Gone', '1']);
      expect(status).toBe(200);
      expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'x-kept': 'k' });
      expect(headers['server']).toBeUndefined();
      expect(names.join(' ')).toContain('x-real-ip 127.0.0.1');
      expect(names).not.toContain('x-gone');
    }
  });

  it('change after a reload, for requests with and without a route', async ({ cleanUp }) => {
    const port = await startEcho(cleanUp);
    const plan = (value: string) => ({
      port,
      defaults: `response-headers { set { "X-Version" "${value}" } }`,
      routes: route('r', ''),
    });
    const gateway = await start(cleanUp, plan('one'));
    expect((await overHttp1(cleanUp, gateway, '/nowhere')).headers['x-version']).toBe('one');
    await gateway.reload(textConfiguration(textOf(plan('two'))));
    expect((await overHttp1(cleanUp, gateway, '/nowhere')).headers['x-version']).toBe('two');
    expect((await overHttp1(cleanUp, gateway, '/r')).headers['x-version']).toBe('two');
  });
});

describe('docs/guides/headers.md', () => {
  it('begins with a configuration that does what the page says', async ({ cleanUp }) => {
    const page = readFileSync(new URL('../../../docs/guides/headers.md', import.meta.url), 'utf8');
    const example = /```kdl\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    const port = await startEcho(cleanUp);
    const gateway = await startConfigured(
      cleanUp,
      example.replace('127.0.0.1:8080', '127.0.0.1:0').replace('127.0.0.1:3001', `127.0.0.1:${port}`),
    );
    gateway.service.answer = () => ({
      ...allowAnswer,
      requestHeaders: [{ kind: 'set', name: 'X-User-Id', value: 'alice' }],
    });
    const answer = await overHttp1(cleanUp, gateway, '/api/x', ['X-Debug', '1', 'X_Real_IP', '203.0.113.1']);
    expect(received(answer)).toMatchObject({
      'x-real-ip': ['127.0.0.1'],
      'x-account': ['alice'],
      via: ['1.1 portcullis'],
    });
    expect(answer.body).not.toMatch(/debug|203\.0\.113\.1/i);
    const strict = 'max-age=31536000';
    expect(answer.headers['strict-transport-security']).toBe(strict);
    expect((await overHttp1(cleanUp, gateway, '/nowhere')).headers['strict-transport-security']).toBe(strict);
  });
});

describe('a route without header rules', () => {
  it('has neither a stage nor a response rule for them', async ({ cleanUp }) => {
    const port = await startEcho(cleanUp);
    const gateway = await start(cleanUp, {
      port,
      routes: `${route('r', '')}; ${route('s', 'request-headers { remove "X" }; response-headers { remove "X" }')}`,
    });
    const { routes, responseRules, rejectionRules } = gateway.state.current();
    const [plain, ruled] = ['r', 's'].map((id) => routes.find(({ configuration }) => configuration.id === id));
    expect(plain?.responseRules).toBe(noResponseRules);
    expect([responseRules, rejectionRules]).toEqual([noResponseRules, null]);
    expect((ruled?.stages.length ?? 0) - (plain?.stages.length ?? 0)).toBe(1);
  });
});
