import { calculateJwkThumbprint } from 'jose';
import { describe, expect } from 'vitest';
import { startLoginCompany } from '../../support/agent/login-company.js';
import { SamlBrowser as CookieBrowser } from '../../support/agent/saml-browser.js';
import { pairFor, publicJwk } from '../../support/agent/test-tokens.js';
import { startBrowser, tlsMembers } from '../../support/shared/browser.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const it = baseIt.extend('browser', { scope: 'file' }, ({ fileCleanUp }) => startBrowser(fileCleanUp));

const headersOf = (raw: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    raw.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? '']] : [])),
  );

const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '');

const signOn = async (browser: CookieBrowser, provider: { authorize(url: string): Promise<string> }, path: string) => {
  const asked = await browser.visit(path);
  expect(asked.status).toBe(302);
  return browser.visit(pathOf(await provider.authorize(asked.headers.location ?? '')));
};

describe('a sign-on at oidc-provider', () => {
  for (const transport of ['embedded', 'socket'] as const) {
    baseIt(`opens a session over two workers, with the transport ${transport}`, async ({ cleanUp }) => {
      const { stack, provider } = await startLoginCompany(cleanUp, { transport, workers: 2 });
      const browser = new CookieBrowser(stack.port);
      const completed = await signOn(browser, provider, '/app/orders?state=open&page=2');
      expect([completed.status, completed.headers.location]).toEqual([302, '/app/orders?state=open&page=2']);
      for (let index = 0; index < 6; index += 1) {
        expect((await browser.visit('/app/orders?state=open&page=2')).status).toBe(200);
      }
      const received = headersOf(stack.upstream.received[0]?.rawHeaders ?? []);
      expect(received).toMatchObject({
        'x-user-id': 'ann',
        'x-auth-method': 'oidc',
        'x-user-email': 'ann@example.com',
        'x-user-groups': 'staff,ops',
        'x-auth-claim-email': 'ann@example.com',
      });
      expect(received['cookie']).toBeUndefined();
      expect(provider.paths.filter((path) => path === '/me')).toHaveLength(1);
      const signedOut = await browser.visit('/oidc/logout');
      expect([signedOut.status, signedOut.headers.location]).toEqual([
        302,
        expect.stringMatching(/\/session\/end\?id_token_hint=/),
      ]);
      expect((await browser.visit('/app/orders')).status).toBe(302);
    });
  }

  baseIt('completes two sign-ons that one browser has begun, the later one first', async ({ cleanUp }) => {
    const { stack, provider } = await startLoginCompany(cleanUp, { transport: 'embedded' });
    const browser = new CookieBrowser(stack.port);
    const begun = [await browser.visit('/app/first?a=1'), await browser.visit('/app/second?b=2')];
    for (const [asked, page] of [
      [begun[1], '/app/second?b=2'],
      [begun[0], '/app/first?a=1'],
    ] as const) {
      const completed = await browser.visit(pathOf(await provider.authorize(asked?.headers.location ?? '')));
      expect([completed.status, completed.headers.location]).toEqual([302, page]);
      expect((await browser.visit(page)).status).toBe(200);
    }
  });

  baseIt('can begin again after kill -9 of the agent in the middle of it', async ({ cleanUp }) => {
    const { stack, provider } = await startLoginCompany(cleanUp, { transport: 'socket' });
    const browser = new CookieBrowser(stack.port);
    const asked = await browser.visit('/app/orders');
    const callback = pathOf(await provider.authorize(asked.headers.location ?? ''));
    stack.agent().signal('SIGKILL');
    await stack.agent().exited;
    stack.restartAgent();
    await stack.agentsPresent();
    // The store has the pending sign-on, and the browser has the secret: the sign-on goes on.
    expect((await browser.visit(callback)).headers.location).toBe('/app/orders');
    expect((await browser.visit('/app/orders')).status).toBe(200);
    const other = new CookieBrowser(stack.port);
    expect((await signOn(other, provider, '/app/x')).headers.location).toBe('/app/x');
  });

  baseIt('accepts a client with a private key, a posted secret, or neither', async ({ cleanUp, folder }) => {
    const pair = pairFor('ES256');
    const keyFile = folder.write('client.key', pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    const jwk = publicJwk(pair.publicKey) as Record<string, string>;
    const kid = await calculateJwkThumbprint(jwk, 'sha256');
    const plans = [
      {
        credential: `client-key-file "${keyFile}"`,
        client: {
          token_endpoint_auth_method: 'private_key_jwt',
          client_secret: undefined,
          jwks: { keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] },
        },
      },
      { client: { token_endpoint_auth_method: 'client_secret_post' } },
      { credential: '', client: { token_endpoint_auth_method: 'none', client_secret: undefined } },
    ];
    for (const plan of plans) {
      const { stack, provider } = await startLoginCompany(cleanUp, { transport: 'embedded', ...plan });
      const browser = new CookieBrowser(stack.port);
      expect((await signOn(browser, provider, '/app/orders')).headers.location).toBe('/app/orders');
    }
  });
});

describeWithPeers(['chromium'], 'a browser at oidc-provider', () => {
  it('signs in in two tabs, keeps deep links, goes back, and signs out', async ({ browser, cleanUp }) => {
    const { stack } = await startLoginCompany(cleanUp, {
      transport: 'socket',
      origin: 'https://localhost',
      listenerMembers: tlsMembers(cleanUp),
    });
    const origin = `https://localhost:${stack.port}`;
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    cleanUp.add(() => context.close());
    const first = await context.newPage();
    const second = await context.newPage();
    const deep = `${origin}/app/orders?state=open&page=2&q=%C3%A4%2F%26`;
    await first.goto(deep);
    await second.goto(`${origin}/app/other?x=1`);
    expect(first.url()).toBe(deep);
    expect(second.url()).toBe(`${origin}/app/other?x=1`);
    const cookies = await context.cookies(origin);
    expect(cookies.map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite }))).toEqual([
      { name: '__Host-portcullis_session', httpOnly: true, secure: true, sameSite: 'Lax' },
    ]);
    await first.goto(`${origin}/app/next`);
    await first.goBack();
    expect(first.url()).toBe(deep);
    await first.goto(`${origin}/oidc/logout`);
    // The session has ended here; the provider asks whether to end its own too.
    expect(first.url()).toContain('/session/end?id_token_hint=');
    expect(await context.cookies(origin)).toEqual([]);
    await first.getByRole('button', { name: 'Yes' }).click();
    await first.waitForURL(/\/session\/end\/success/);
    await second.reload();
    expect(second.url()).toBe(`${origin}/app/other?x=1`);
  });

  it('takes an answer that the provider posts from another site', async ({ browser, cleanUp }) => {
    const { stack } = await startLoginCompany(cleanUp, {
      transport: 'embedded',
      origin: 'https://localhost',
      listenerMembers: tlsMembers(cleanUp),
      members: 'response-mode "form_post"',
    });
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    cleanUp.add(() => context.close());
    const page = await context.newPage();
    const target = `https://localhost:${stack.port}/app/orders?page=2`;
    await page.goto(target);
    await page.waitForURL(target);
    expect(stack.upstream.received.some(({ url }) => url === '/app/orders?page=2')).toBe(true);
  });
});
