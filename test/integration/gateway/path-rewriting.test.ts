import { chmodSync, mkdirSync } from 'node:fs';
import { expect } from 'vitest';
import { KdlConfigurationSource } from '../../../src/adapters/outbound/kdl-configuration/kdl-configuration-source.js';
import { re2PathPatterns } from '../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { http2Answer, http2Session } from '../../support/gateway/http2-session.js';
import { type InProcessGateway, startInProcess, testConfiguration } from '../../support/gateway/in-process-gateway.js';
import { startNginxUpstream } from '../../support/gateway/nginx-upstream.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { ScriptedAgentClient } from '../../support/gateway/scripted-agent-client.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

/** Answers with the target that came, the path that nginx makes of it, and the prefix. Folders redirect. */
const server = (port: number, root: string): string => `
server {
  listen 127.0.0.1:${port};
  merge_slashes off;
  default_type text/plain;
  location / { return 200 "$request_uri|$uri|$http_x_forwarded_prefix|$http_x_original"; }
  location /v1/files/ { alias ${root}/; }
  location /files/ { alias ${root}/; }
  location = /v1/cookie { add_header Set-Cookie "a=1; Path=/v1; Domain=127.0.0.1" always; return 302 /v1/next; }
  location = /v1/away { return 301 https://id.example.com/v1; }
}`;

const text = (port: number): string => `
listeners { listener "main" { address "127.0.0.1:0"; http2 #true; trusted-proxies "127.0.0.1/32" } }
routes {
  route "api" {
    matches { path-prefix "/api" }
    upstream "nginx"; agents "auth"
    policies { rewrite { strip-prefix "/api"; add-prefix "/v1" } }
  }
  route "own" { matches { path-prefix "/files" }; upstream "by-name"; agents #null }
  route "kept" {
    matches { path-prefix "/kept" }
    upstream "nginx"; agents #null
    policies { rewrite { strip-prefix "/kept"; add-prefix "/v1"; location #false } }
  }
  route "encoded" {
    matches { path-prefix "/enc" }
    upstream "nginx"; agents #null
    policies { allow-encoded-slash #true; merge-slashes #false; rewrite { strip-prefix "/enc" } }
  }
  route "loose" {
    matches { path-regex "^/" }
    upstream "nginx"; agents #null; priority "low"
    policies { allow-encoded-slash #true }
  }
  route "swap" {
    matches { path-prefix "/swap" }
    upstream "nginx"; agents #null
    policies { rewrite { regex "^/swap/([^/]*)/(.*)$" "$2/$1" } }
  }
}
upstreams {
  upstream "nginx" { target "127.0.0.1:${port}" }
  upstream "by-name" { target "127.0.0.1:${port}"; host-header "target" }
}
agents { agent "auth" { transport "embedded"; events "request_headers"; config { api-keys "key:alice" } } }
`;

const loaded = async (configuration: string): Promise<GatewayConfiguration> => {
  const texts = new Map([['gateway.kdl', configuration]]);
  const source = new KdlConfigurationSource('gateway.kdl', { environment: {}, patterns: re2PathPatterns, texts });
  const { configuration: read, problems } = await source.load();
  if (read === null) throw new Error(problems.map(({ message }) => message).join('\n'));
  return { ...read, system: testConfiguration([]).system };
};

const agent = new ScriptedAgentClient();
let nginxPort: number;
let gateway: InProcessGateway;

const start = async (cleanUp: CleanUp): Promise<void> => {
  nginxPort = await freePort();
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  // nginx may run as another user.
  chmodSync(folder.path, 0o755);
  mkdirSync(folder.file('inner'));
  folder.write('inner/index.html', 'inner');
  await startNginxUpstream(cleanUp, nginxPort, server(nginxPort, folder.path));
  gateway = await startInProcess(await loaded(text(nginxPort)), { createAgent: () => agent });
  cleanUp.add(() => gateway.stop());
};

interface Seen {
  readonly status: number;
  /** The request target that nginx got; empty: it got none. */
  readonly target: string;
  /** The path that nginx made of it. */
  readonly path: string;
  readonly prefix: string;
}

const seen = (status: number, body: string): Seen => {
  const [target = '', path = '', prefix = ''] = status === 200 ? body.split('|') : [];
  return { status, target, path, prefix };
};

/** Sends a target as it is. */
const ask = async (target: string, fields = ''): Promise<Seen> => {
  const octets = `GET ${target} HTTP/1.1\r\nHost: shop.example\r\n${fields}Connection: close\r\n\r\n`;
  const { status, body } = await rawExchange(gateway.address, octets);
  return seen(status, body);
};

describeWithPeers(['nginx'], 'paths before nginx', () => {
  it.beforeAll(({ fileCleanUp }) => start(fileCleanUp));

  it.each([
    ['/api/x?a=/api/%2f', '/v1/x?a=/api/%2f', '/v1/x'],
    ['/api', '/v1', '/v1'],
    ['/api/', '/v1/', '/v1/'],
    ['/api//a/./b/../c', '/v1/a/c', '/v1/a/c'],
    ['//api//x', '/v1/x', '/v1/x'],
    ['/%61pi/x', '/v1/x', '/v1/x'],
    ['/api/%7Ex;y=1', '/v1/~x;y=1', '/v1/~x;y=1'],
    ['/api/caf%c3%a9', '/v1/caf%C3%A9', '/v1/caf\u00c3\u00a9'],
    ['http://shop.example/api/x', '/v1/x', '/v1/x'],
  ])('sends %s as %s', async (sent, target, path) => {
    expect(await ask(sent)).toEqual({ status: 200, target, path, prefix: '/api' });
  });

  it('sends the same over HTTP/2', async ({ cleanUp }) => {
    const session = http2Session(cleanUp, gateway.url);
    const answers = ['/api//a/../b?q', '/api/..%2fx', '/enc/a//b%2fc'].map((path) =>
      http2Answer(session.request({ ':path': path })),
    );
    const [api, refused, encoded] = await Promise.all(answers);
    expect(api?.body.toString()).toMatch(/^\/v1\/b\?q\|\/v1\/b\|\/api\|/);
    expect(refused?.status).toBe(400);
    expect(encoded?.body.toString()).toMatch(/^\/a\/\/b%2fc\|/);
  });

  it.each([
    '/api/..%2f',
    '/api/..%2Fadmin',
    '/api/%2e%2e%2fadmin',
    '/api/..%5cadmin',
    '/api/..\\admin',
    '/api/..;/admin',
    '/api/..%3b/admin',
    '/api/%00',
    '/api/%252e%252e/admin',
    '/api/a/%252e%252e%252fadmin',
    '/api/%252e%252e;/admin',
    '/api/%25%32%65%25%32%65/admin',
    '/api/a%255c..%255cadmin',
  ])('refuses %s, and nginx gets nothing', async (path) => {
    expect(await ask(path)).toEqual({ status: 400, target: '', path: '', prefix: '' });
  });

  it.each(['/api/../admin', '/api//..//admin', '/api/%2e%2e/admin', '/api/.%2e/admin', '/api/x/../../admin', '/apis'])(
    'does not take %s for a path below the prefix',
    async (path) => {
      const { status, target, prefix } = await ask(path);
      expect([status, prefix]).toEqual([200, '']);
      expect(target).not.toMatch(/^\/v1/);
    },
  );

  it('never lets nginx leave the prefix', async () => {
    const pieces = ['..', '%2e%2e', '%252e', '/', '//', ';', '%3b', 'a', '%25', '2e', '%2f', '\\', '%5c', '.'];
    let state = 7;
    const next = (): string => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return pieces[state % pieces.length] as string;
    };
    for (let round = 0; round < 150; round += 1) {
      const sent = `/api/${Array.from({ length: 1 + (round % 9) }, next).join('')}`;
      const { status, target, path, prefix } = await ask(sent);
      if (status !== 200) expect([400, 404], sent).toContain(status);
      else if (prefix === '/api')
        expect(
          [target, path].every((one) => /^\/v1(\/|$)/.test(one)),
          sent,
        ).toBe(true);
    }
  });

  it('shows agents the path of the client, and the log both', async () => {
    agent.events.splice(0);
    await ask('/api//x/../y?q=1');
    expect(agent.events.at(0)).toMatchObject({ kind: 'request_headers', uri: '/api/y?q=1' });
    await expect
      .poll(() => gateway.accessRecords.at(-1))
      .toMatchObject({ path: '/api/y', upstreamPath: '/v1/y', route: 'api' });
  });

  it('never passes a prefix of the client, in any spelling, nor that of a trusted proxy', async () => {
    for (const name of ['X-Forwarded-Prefix', 'x-forwarded-prefix', 'X_Forwarded_Prefix', 'X-Forwarded_Prefix']) {
      const { prefix } = await ask('/api/x', `${name}: /evil\r\n${name}: /worse\r\n`);
      expect(prefix).toBe('/api');
    }
    expect((await ask('/enc/x', 'X-Forwarded-Prefix: /evil\r\n')).prefix).toBe('/enc');
  });

  it('refuses a rewritten path without a slash, and swaps what fits', async () => {
    expect((await ask('/swap/a/b')).status).toBe(400);
    expect((await ask('/swap/a')).target).toBe('/swap/a');
    await expect
      .poll(() => gateway.accessRecords.find(({ path }) => path === '/swap/a/b'))
      .toMatchObject({ status: 400, errorType: 'unsafe_path', route: 'swap' });
  });

  it.each([
    ['/enc/a%2Fb', '/a%2Fb'],
    ['/enc/a%2fb%5Cc', '/a%2fb%5Cc'],
    ['/enc//a///b/', '//a///b/'],
    ['/enc/a//../b', '/b'],
    ['/loose%2Fx', '/loose%2Fx'],
    ['/loose//x%2fy', '/loose/x%2fy'],
  ])('with encoded slashes sends %s as %s', async (sent, target) => {
    expect(await ask(sent)).toMatchObject({ status: 200, target });
  });

  it.each([
    '/enc/a%2F..%2Fb',
    '/enc/%2Fa',
    '/enc/a%2F%2Fb',
    '/enc/a%252F..%252Fb',
    '/enc/%252e%252e/b',
    '/enc/a%5C..%5Cb',
    '/enc/a%2F..;x%2Fb',
    '/enc/%00%2F',
    '/api/a%2Fb',
    '/swap/a%2Fb/c',
  ])('with encoded slashes refuses %s', async (path) => {
    expect((await ask(path)).status).toBe(400);
  });

  it.each([
    '/api%2Fsecret',
    '/%2fapi/secret',
    '/api%252Fsecret',
    '/api%5csecret',
    '/%61pi%2fsecret%3Fx',
    '/x%2F..%2Fapi%2Fy',
  ])('refuses %s, which nginx would read as a path that an agent guards', async (path) => {
    agent.events.splice(0);
    expect((await ask(path)).status).toBe(400);
    expect(agent.events).toEqual([]);
  });

  it('turns back the redirects and cookies of nginx', async () => {
    const at = (path: string, host = 'shop.example') =>
      call(gateway.address.port, { path, headers: { Host: host, 'X-Forwarded-Proto': 'https' } });
    // nginx writes the host of the request with its own port.
    expect((await at('/api/files/inner')).headers.location).toBe('https://shop.example/api/files/inner/');
    expect((await at('/api/files/inner/')).body).toBe('inner');
    expect((await at('/files/inner')).headers.location).toBe('https://shop.example/files/inner/');
    expect((await at('/kept/files/inner')).headers.location).toBe(`http://shop.example:${nginxPort}/v1/files/inner/`);
    expect((await at('/api/away')).headers.location).toBe('https://id.example.com/v1');
    const { headers } = await at('/api/cookie', 'shop.example:8443');
    expect(headers.location).toBe('https://shop.example:8443/api/next');
    expect(headers['set-cookie']).toEqual(['a=1; Path=/api; Domain=shop.example']);
  });
});
