import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { expect } from 'vitest';
import { selfSignedServer, startBrowser, tlsMembers } from '../../support/shared/browser.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

/** Serves the same empty page at every host; the browser resolves all names to it. Over TLS with a certificate. */
const startPages = async (cleanUp: CleanUp, certificate: ServerOptions | null = null): Promise<number> => {
  const answer: RequestListener = (_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>App</title><body></body>');
  };
  const server = certificate === null ? createServer(answer) : createSecureServer(certificate, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
};

interface Company {
  readonly stack: GatewayStack;
  readonly pagePort: number;
  /** Of the pages over TLS. */
  readonly securePagePort: number;
  readonly context: BrowserContext;
}

const apiKey = 'key-of-alice';

const startCompany = async (cleanUp: CleanUp): Promise<Company> => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const policy = folder.write(
    'policy.cedar',
    '@id("all-but-one") permit (principal, action, resource) when { !(resource.path like "/api/forbidden") };',
  );
  const pagePort = await startPages(cleanUp);
  const securePagePort = await startPages(cleanUp, selfSignedServer('app.example.com'));
  const cors = (members = ''): string => `cors {
    allow-origins "http://app.example.com:${pagePort}" "http://*.example.org:${pagePort}" "http://app.example.com:${securePagePort}" "https://other.example.com:${securePagePort}"
    allow-methods "GET" "PUT"; allow-headers "X-API-Key"; max-age-secs 0; ${members}
  }`;
  const route = (name: string, upstream: string, policies: string): string =>
    `route "${name}" { matches { path-prefix "/${name}" }; upstream "${upstream}"; agents "auth"; policies { ${policies} } }`;
  const stack = await startStack(cleanUp, {
    transport: 'socket',
    agentConfig: `api-keys "${apiKey}:alice"; api-key-header "X-API-Key"; authz { enabled #true; policy-file "${policy}" }`,
    listeners: { secure: tlsMembers(cleanUp) },
    routes: [
      route('api', 'back', `max-body-size 10; ${cors()}`),
      route('limited', 'back', `rate-limit { requests-per-second 0.001; burst 2; key "route" }; ${cors()}`),
      route('gone', 'gone', cors()),
      route('slow', 'back', `timeouts { request-secs 1 }; ${cors()}`),
      route('cookies', 'back', cors('allow-credentials #true')),
    ].join('\n'),
    blocks: `upstreams { upstream "gone" { target "127.0.0.1:${await freePort()}" } }`,
  });
  stack.upstream.answer = (request, response) => {
    if (request.url === '/slow') return;
    response.setHeader('Access-Control-Allow-Origin', '*');
    request.resume().once('end', () => response.end('whole'));
  };
  const browser = await startBrowser(cleanUp, ['--host-resolver-rules=MAP * 127.0.0.1']);
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  return { stack, pagePort, securePagePort, context };
};

/** What a script of a page can read of a response; the error that it gets otherwise. */
type Seen = { readonly status: number; readonly body: string; readonly correlationId: string | null } | string;

const fetchIn = (page: Page | Frame, url: string, init: RequestInit = {}): Promise<Seen> =>
  page.evaluate(
    async ([target, options]) => {
      try {
        const response = await fetch(target as string, options as RequestInit);
        const correlationId = response.headers.get('x-correlation-id');
        return { status: response.status, body: await response.text(), correlationId };
      } catch (error) {
        return String(error);
      }
    },
    [url, init] as const,
  );

const failed = 'TypeError: Failed to fetch';
const withKey = { headers: { 'X-API-Key': apiKey } };

const it = baseIt.extend('company', { scope: 'file' }, ({ fileCleanUp }) => startCompany(fileCleanUp));

const pageAt = async ({ context }: Company, cleanUp: CleanUp, origin: string): Promise<Page> => {
  const page = await context.newPage();
  cleanUp.add(() => page.close());
  await page.goto(`${origin}/`);
  return page;
};

describeWithPeers(['chromium'], 'a page of another origin', () => {
  it.for(['http', 'https'] as const)(
    'reads status, body and correlation id of every response over %s',
    async (scheme, { company, cleanUp }) => {
      const { stack, pagePort } = company;
      const gateway =
        scheme === 'http' ? `http://127.0.0.1:${stack.port}` : `https://localhost:${stack.portOf('secure')}`;
      const page = await pageAt(company, cleanUp, `http://app.example.com:${pagePort}`);
      const requests: readonly (readonly [string, RequestInit, number, string])[] = [
        ['/api', withKey, 200, 'whole'],
        ['/api', {}, 401, 'Unauthorized'],
        ['/api', { headers: { 'X-API-Key': 'wrong' } }, 401, 'Unauthorized'],
        ['/api/forbidden', withKey, 403, 'Forbidden'],
        ['/api', { ...withKey, method: 'PUT', body: 'more than ten octets' }, 413, 'body_too_large'],
        ['/gone', withKey, 502, 'upstream_unreachable'],
        ['/slow', withKey, 504, 'upstream_timeout'],
      ];
      for (const [path, init, status, text] of requests) {
        const seen = await fetchIn(page, gateway + path, init);
        expect(seen, `${path}: ${JSON.stringify(seen)}`).toMatchObject({ status, correlationId: expect.any(String) });
        expect(typeof seen === 'string' ? seen : seen.body.toLowerCase()).toContain(text.toLowerCase());
      }
    },
  );

  it('pays no token of the route for a preflight, and reads 429', async ({ company, cleanUp }) => {
    const page = await pageAt(company, cleanUp, `http://a.b.example.org:${company.pagePort}`);
    const statuses: unknown[] = [];
    for (let count = 0; count < 3; count += 1) {
      const seen = await fetchIn(page, `http://127.0.0.1:${company.stack.port}/limited`, withKey);
      statuses.push(typeof seen === 'string' ? seen : seen.status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    const preflights = await company.stack.metric('gateway_requests_total', 'route="limited"', 'status="204"');
    expect(preflights).toBe(3);
    expect(company.stack.upstream.received.filter(({ method }) => method === 'OPTIONS')).toEqual([]);
  });

  it('cannot send an unlisted method or header', async ({ company, cleanUp }) => {
    const page = await pageAt(company, cleanUp, `http://app.example.com:${company.pagePort}`);
    const url = `http://127.0.0.1:${company.stack.port}/api/unlisted`;
    expect(await fetchIn(page, url, { ...withKey, method: 'DELETE' })).toBe(failed);
    expect(await fetchIn(page, url, { headers: { 'X-API-Key': apiKey, 'X-Other': 'a' } })).toBe(failed);
    expect(company.stack.upstream.received.filter(({ url: path }) => path.includes('unlisted'))).toEqual([]);
  });

  it('sends cookies only where the route allows it', async ({ company, cleanUp }) => {
    const page = await pageAt(company, cleanUp, `http://app.example.com:${company.pagePort}`);
    const gateway = `http://127.0.0.1:${company.stack.port}`;
    const init: RequestInit = { ...withKey, credentials: 'include' };
    expect(await fetchIn(page, `${gateway}/cookies`, init)).toMatchObject({ status: 200 });
    expect(await fetchIn(page, `${gateway}/api`, init)).toBe(failed);
  });

  it.for([
    ['a longer name', 'http://evil-example.org'],
    ['the name of the wildcard itself', 'http://example.org'],
    ['the name as a label of another', 'http://app.example.com.evil.test'],
    ['another last label', 'http://a.example.org.evil.test'],
    ['a final dot', 'http://app.example.com.'],
    ['letters of another script', 'http://\u0430pp.example.com'],
    ['another host', 'http://127.0.0.1'],
  ] as const)('reads nothing if its origin differs by %s', async ([, origin], { company, cleanUp }) => {
    const page = await pageAt(company, cleanUp, `${origin}:${company.pagePort}`);
    for (const init of [withKey, {}]) {
      expect(await fetchIn(page, `http://127.0.0.1:${company.stack.port}/api`, init)).toBe(failed);
    }
  });

  it('reads nothing if its origin differs by the port', async ({ company, cleanUp }) => {
    const page = await pageAt(company, cleanUp, `http://app.example.com:${await startPages(cleanUp)}`);
    expect(await fetchIn(page, `http://127.0.0.1:${company.stack.port}/api`)).toBe(failed);
  });

  it('reads nothing if its origin differs by the scheme', async ({ company, cleanUp }) => {
    const seen: Seen[] = [];
    for (const host of ['app', 'other']) {
      const page = await pageAt(company, cleanUp, `https://${host}.example.com:${company.securePagePort}`);
      seen.push(await fetchIn(page, `http://127.0.0.1:${company.stack.port}/api`));
    }
    expect(seen).toEqual([failed, expect.objectContaining({ status: 401 })]);
  });

  it('reads nothing in a sandboxed frame, whose origin is null', async ({ company, cleanUp }) => {
    const page = await pageAt(company, cleanUp, `http://app.example.com:${company.pagePort}`);
    await page.setContent('<iframe sandbox="allow-scripts" srcdoc="<title>Frame</title>"></iframe>');
    const frame = page.frames().find((each) => each !== page.mainFrame());
    if (frame === undefined) throw new Error('the page has no frame');
    expect(await frame.evaluate('origin')).toBe('null');
    expect(await fetchIn(frame, `http://127.0.0.1:${company.stack.port}/api`)).toBe(failed);
  });

  it('is allowed in the form that the browser gives to its origin', async ({ company, cleanUp }) => {
    for (const host of ['http://APP.example.COM', 'http://b\u00fccher.example.org']) {
      const page = await pageAt(company, cleanUp, `${host}:${company.pagePort}`);
      expect(await fetchIn(page, `http://127.0.0.1:${company.stack.port}/api`, withKey)).toMatchObject({ status: 200 });
    }
  });
});
