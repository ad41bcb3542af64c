import { writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { type DocumentedGateway, startDocumented } from '../../support/gateway/documented-gateway.js';
import { http2Call, http2Session } from '../../support/gateway/http2-session.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const folder = temporaryFolder();
const page = folder.write('page.html', '<p>first</p>');

const route = (name: string, content: string): string =>
  `route "${name}" { matches { path-prefix "/${name}" }; ${content} }\n`;

const textOf = (routes: string, more = ''): string => `
listeners { listener "main" { address "127.0.0.1:8080"; http2 #true; trusted-proxies "127.0.0.1" } }
routes { ${routes} }
agents { agent "auth" { transport "embedded"; config { api-keys "key:alice" } } }
${more}`;

const everyone = [
  route('https', 'redirect { to "https://{host}{path_query}"; status 308 }'),
  route('port', 'redirect { to "https://{host}:8443{path}" }'),
  route('slash', 'redirect { to "/{query}{path}" }'),
  route('same', 'redirect { to "{path}/x{query}" }'),
  route('user', 'agents "auth"; redirect { to "/of/{user_id}?by={client_ip}"; status 303 }'),
  route('rated', 'redirect { to "/b" }; policies { rate-limit { requests-per-second 0.01; burst 1; key "route" } }'),
  route('small', 'redirect { to "/b" }; policies { max-body-size 10 }'),
  route('text', 'respond { body "hello {host} \u00e9" }'),
  route('none', 'respond { status 204 }'),
  route('reset', 'respond { status 205 }'),
  route('empty', 'respond { status 404 }'),
  route('page', `respond { status 503; content-type "text/html; charset=utf-8"; body-file "${page}" }`),
  route('guarded', 'agents "auth"; respond { body "for members" }'),
  'route "plain" { matches { scheme "http"; path-prefix "/scheme" }; respond { body "plain" } }\n',
  'route "secure" { matches { scheme "https"; path-prefix "/scheme" }; respond { body "secure" } }\n',
].join('');

const start = (cleanUp: CleanUp): Promise<DocumentedGateway> => startDocumented(cleanUp, textOf(everyone));

const it = baseIt.extend('gateway', { scope: 'file' }, ({ fileCleanUp }) => {
  fileCleanUp.add(() => folder.remove());
  return start(fileCleanUp);
});

const close = 'Connection: close\r\n\r\n';
const exchange = (gateway: DocumentedGateway, text: string, octets = '') =>
  rawExchange({ host: '127.0.0.1', port: gateway.portOf(8080) }, `${text}${close}${octets}`);
const locationOf = async (gateway: DocumentedGateway, path: string, host = 'shop.example') =>
  (await exchange(gateway, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n`)).headers['location'];

describe('a redirect', () => {
  it('sends the client to the host without its port', async ({ gateway }) => {
    const answer = await exchange(gateway, 'GET /https/a?b=c HTTP/1.1\r\nHost: Shop.Example:8080\r\n');
    expect([answer.status, answer.headers['location'], answer.body]).toEqual([
      308,
      'https://shop.example/https/a?b=c',
      '',
    ]);
    expect(answer.headers['content-length']).toBe('0');
    expect(answer.headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(await locationOf(gateway, '/port/a?b', 'shop.example:80')).toBe('https://shop.example:8443/port/a');
    expect(await locationOf(gateway, '/port', '[2001:db8::1]:80')).toBe('https://[2001:db8::1]:8443/port');
  });

  it('answers every method alike, and sends no body to HEAD', async ({ gateway }) => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const octets = method === 'POST' || method === 'PUT' ? 'abc' : '';
      const length = octets === '' ? '' : 'Content-Length: 3\r\n';
      const { status, headers, body } = await exchange(
        gateway,
        `${method} /https HTTP/1.1\r\nHost: a\r\n${length}`,
        octets,
      );
      expect([method, status, headers['location'], body]).toEqual([method, 308, 'https://a/https', '']);
    }
  });

  it('leads no hostile path to another host', async ({ gateway }) => {
    for (const path of [
      '/slash//evil.example',
      '/slash/..//slash//evil.example',
      '//slash/evil.example',
      '/same///evil.example',
    ]) {
      const location = await locationOf(gateway, path);
      expect(new URL(String(location), 'http://shop.example').host, path).toBe('shop.example');
    }
    expect(await locationOf(gateway, '/https/%0d%0aSet-Cookie:a=b?%0d%0aX:y')).toBe(
      'https://shop.example/https/%0D%0ASet-Cookie:a=b?%0d%0aX:y',
    );
    expect((await exchange(gateway, 'GET /https/\\evil.example HTTP/1.1\r\nHost: a\r\n')).status).toBe(400);
    expect((await exchange(gateway, 'GET /https/a\rb HTTP/1.1\r\nHost: a\r\n')).status).toBe(400);
  });

  it('refuses a host that is none', async ({ gateway }) => {
    for (const host of ['evil.example/', 'a@evil.example', 'a b', 'a\tb', 'evil.example?', '[::1', 'a..b', '']) {
      const { status, headers } = await exchange(gateway, `GET /https HTTP/1.1\r\nHost: ${host}\r\n`);
      expect([host, status, headers['location']]).toEqual([host, 400, undefined]);
    }
  });

  it('answers 400 to a request without host, if it needs one', async ({ gateway }) => {
    const { status, headers, body } = await exchange(gateway, 'GET /https//evil.example HTTP/1.0\r\n');
    expect([status, headers['location'], JSON.parse(body).code]).toEqual([400, undefined, 'invalid_host']);
    expect((await exchange(gateway, 'GET /same HTTP/1.0\r\n')).headers['location']).toBe('/same/x');
  });

  it('takes the host of an absolute target', async ({ gateway }) => {
    const text = 'GET http://named.example:81/https HTTP/1.1\r\nHost: other.example\r\n';
    expect((await exchange(gateway, text)).headers['location']).toBe('https://named.example/https');
  });

  it('knows the user that an agent has set, and is not sent without', async ({ gateway }) => {
    const anonymous = await exchange(gateway, 'GET /user HTTP/1.1\r\nHost: a\r\nX-User-Id: mallory\r\n');
    expect([anonymous.status, anonymous.headers['location']]).toEqual([401, undefined]);
    const known = await exchange(gateway, 'GET /user HTTP/1.1\r\nHost: a\r\nX-API-Key: key\r\nX-User-Id: mallory\r\n');
    expect([known.status, known.headers['location']]).toEqual([303, '/of/alice?by=127.0.0.1']);
  });

  it('obeys the limits of its route', async ({ gateway }) => {
    const get = 'GET /rated HTTP/1.1\r\nHost: a\r\n';
    const first = await exchange(gateway, get);
    expect([first.status, first.headers['ratelimit']]).toEqual([307, '"route-policy";r=0;t=100']);
    expect((await exchange(gateway, get)).status).toBe(429);
    const post = 'POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n';
    expect((await exchange(gateway, post, 'x'.repeat(11))).status).toBe(413);
  });

  it('reaches a client of HTTP/2', async ({ gateway, cleanUp }) => {
    const session = http2Session(cleanUp, `http://127.0.0.1:${gateway.portOf(8080)}`);
    const { status, headers } = await http2Call(session, { ':path': '/https/a', ':authority': 'shop.example:8080' });
    expect([status, headers[headers.indexOf('location') + 1]]).toEqual([308, 'https://shop.example/https/a']);
  });

  it('keeps the connection for the next request', async ({ gateway }) => {
    const { raw } = await exchange(gateway, 'GET /https HTTP/1.1\r\nHost: a\r\n\r\nGET /text HTTP/1.1\r\nHost: a\r\n');
    expect(raw.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 308', 'HTTP/1.1 200']);
  });

  it('is in the access log with its route and without upstream', async ({ gateway }) => {
    await exchange(gateway, 'GET /https/logged HTTP/1.1\r\nHost: a\r\n');
    expect(gateway.accessRecords.at(-1)).toMatchObject({
      path: '/https/logged',
      status: 308,
      route: 'https',
      upstream: null,
      errorType: null,
    });
  });
});

describe('a fixed response', () => {
  it('is sent as it is written', async ({ gateway }) => {
    const { status, headers, body } = await exchange(gateway, 'GET /text HTTP/1.1\r\nHost: a\r\n');
    expect([status, headers['content-type'], headers['content-length']]).toEqual([
      200,
      'text/plain; charset=utf-8',
      '15',
    ]);
    expect(Buffer.from(body, 'latin1').toString('utf8')).toBe('hello {host} \u00e9');
  });

  it('has the headers of GET for HEAD, and no body', async ({ gateway }) => {
    const { status, headers, body } = await exchange(gateway, 'HEAD /text HTTP/1.1\r\nHost: a\r\n');
    expect([status, headers['content-length'], body]).toEqual([200, '15', '']);
  });

  it('may have no body', async ({ gateway }) => {
    const none = await exchange(gateway, 'GET /none HTTP/1.1\r\nHost: a\r\n');
    expect([none.status, none.headers['content-length'], none.headers['content-type']]).toEqual([
      204,
      undefined,
      undefined,
    ]);
    const reset = await exchange(gateway, 'GET /reset HTTP/1.1\r\nHost: a\r\n');
    expect([reset.status, reset.headers['content-length'] ?? '0', reset.body]).toEqual([205, '0', '']);
    const empty = await exchange(gateway, 'POST /empty HTTP/1.1\r\nHost: a\r\n');
    expect([empty.status, empty.headers['content-length'], empty.body]).toEqual([404, '0', '']);
  });

  it('is sent only to requests that the agents allow', async ({ gateway }) => {
    expect((await exchange(gateway, 'GET /guarded HTTP/1.1\r\nHost: a\r\n')).status).toBe(401);
    expect((await exchange(gateway, 'GET /guarded HTTP/1.1\r\nHost: a\r\nX-API-Key: key\r\n')).body).toBe(
      'for members',
    );
  });

  it('is a gRPC status for a gRPC client, if it is an error', async ({ gateway }) => {
    const call = 'POST /page HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\nContent-Length: 0\r\n';
    const { status, headers, body } = await exchange(gateway, call);
    expect([status, headers['grpc-status'], body]).toEqual([200, '14', '']);
  });

  it('has the text of its file, as it was at the last load', async ({ cleanUp }) => {
    const gateway = await start(cleanUp);
    const get = 'GET /page HTTP/1.1\r\nHost: a\r\n';
    const first = await exchange(gateway, get);
    expect([first.status, first.headers['content-type'], first.body]).toEqual([
      503,
      'text/html; charset=utf-8',
      '<p>first</p>',
    ]);
    writeFileSync(page, '<p>second</p>');
    expect((await exchange(gateway, get)).body).toBe('<p>first</p>');
    expect((await gateway.gateway.reload()).ok).toBe(true);
    expect((await exchange(gateway, get)).body).toBe('<p>second</p>');
    for (const [text, fault] of [
      ['x'.repeat(1_048_577), 'is larger than 1048576 bytes'],
      ['x'.repeat(9_000_000), 'is larger than 8388608 bytes'],
      [Buffer.from([0xff, 0xfe]), 'is not UTF-8 text'],
    ] as const) {
      writeFileSync(page, text);
      const reload = await gateway.gateway.reload();
      const problems = reload.ok ? [] : reload.error.problems.map(({ message }) => message);
      expect(problems).toContain(`route "page": body-file: the file ${page} ${fault}`);
      expect((await exchange(gateway, get)).body).toBe('<p>second</p>');
    }
    writeFileSync(page, '<p>first</p>');
  });

  it('stops the start if its file is missing', async ({ cleanUp }) => {
    const text = textOf(route('a', 'respond { body-file "/nowhere/at/all" }'));
    await expect(startDocumented(cleanUp, text)).rejects.toThrow(
      'route "a": body-file: the file /nowhere/at/all cannot be read: it does not exist',
    );
  });
});

describe('a scheme match', () => {
  it('sees the scheme of the connection, or that of a trusted proxy', async ({ gateway }) => {
    const by = async (fields: string): Promise<string> =>
      (await exchange(gateway, `GET /scheme HTTP/1.1\r\nHost: a\r\n${fields}`)).body;
    expect(await by('')).toBe('plain');
    expect(await by('X-Forwarded-Proto: https\r\n')).toBe('secure');
    expect(await by('X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n')).toBe('secure');
    expect(await by('Forwarded: for=192.0.2.1;proto=https\r\n')).toBe('secure');
    expect(await by('X-Forwarded-Proto: wss\r\n')).toBe('plain');
  });

  it('does not believe a client that is no trusted proxy', async ({ cleanUp }) => {
    const text = textOf(everyone).replace('trusted-proxies "127.0.0.1"', '');
    const gateway = await startDocumented(cleanUp, text);
    const forged = 'GET /scheme HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\nForwarded: proto=https\r\n';
    expect((await exchange(gateway, forged)).body).toBe('plain');
  });
});
