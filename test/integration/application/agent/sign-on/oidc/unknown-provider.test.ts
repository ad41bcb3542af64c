import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import { loginConfig, type OidcBrowser, oidcPlace, portal } from '../../../../../support/agent/oidc-agent.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';

describe('an OpenID provider that is not known', () => {
  it('makes sign-ons wait until it can be discovered, and the agent report itself as degraded', async ({ cleanUp }) => {
    const { agent, clock, provider, newBrowser, logger } = await oidcPlace(cleanUp, (made) => {
      made.lies = { discovery: { issuer: 'https://evil.example' } };
      return [loginConfig(made)];
    });
    expect(agent.health()).toMatchObject({
      state: 'degraded',
      message: expect.stringContaining('the discovery document is from another issuer'),
    });
    const browser = newBrowser();
    const refused = await browser.get('/orders');
    expect(refused.status).toBe(503);
    expect(browser.cookies.size).toBe(0);
    const line = logger.lines.find(({ fields }) => fields['reason'] === 'provider_unavailable');
    expect(line?.fields['detail']).toBe(
      'malformed: the discovery document is from another issuer: copy issuer from it, including a final slash',
    );
    provider.lies = {};
    clock.advance(31_000);
    await browser.get('/orders');
    await eventually(() => agent.health().state === 'healthy');
    expect((await browser.callback(provider.authorize(await browser.begin()))).status).toBe(302);
  });

  it('does not spend a callback while it is unknown', async ({ cleanUp }) => {
    const { agent, provider, newBrowser } = await oidcPlace(cleanUp);
    const browser = newBrowser();
    const code = provider.authorize(await browser.begin());
    await provider.stop();
    // The last good document and keys stay in use: only the token endpoint is missed.
    expect((await browser.callback(code)).status).toBe(503);
    expect(agent.health().state).toBe('healthy');
    await provider.start();
    expect((await browser.callback(provider.authorize(await browser.begin()))).status).toBe(302);
  });

  it('is asked for nothing at endpoints that are not https', async ({ cleanUp }) => {
    let asked = 0;
    const other = createServer((_request, response) => {
      asked += 1;
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => new Promise((resolve) => other.close(resolve)));
    const { port } = other.address() as AddressInfo;
    const { newBrowser } = await oidcPlace(cleanUp, (made) => {
      made.lies = { discovery: { token_endpoint: `http://user:password@127.0.0.1:${port}/token` } };
      return [loginConfig(made)];
    });
    expect((await newBrowser().get('/orders')).status).toBe(503);
    expect(asked).toBe(0);
  });

  it('needs no discovery if the endpoints are configured', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(cleanUp, (made) => {
      made.lies = { discovery: { issuer: 'https://evil.example' } };
      const urls = {
        'authorization-url': `${made.issuer}/authorize?tenant=x`,
        'token-url': `${made.issuer}/token`,
        'jwks-url': `${made.issuer}/jwks`,
      };
      return [loginConfig(made, urls)];
    });
    const browser = newBrowser();
    const location = await browser.begin();
    expect(location).toContain('/authorize?tenant=x&response_type=code');
    expect((await browser.callback(provider.authorize(location))).status).toBe(302);
  });
});

describe('a login with several public URLs', () => {
  it('returns to the host of the request', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(cleanUp, {
      'public-url': [`https://${portal}`, 'https://admin.example.net:8443'],
    });
    const browser: OidcBrowser = newBrowser('admin.example.net:8443');
    const location = await browser.begin('/x');
    expect(new URL(location).searchParams.get('redirect_uri')).toBe(
      'https://admin.example.net:8443/oidc/callback/corp',
    );
    expect((await browser.callback(provider.authorize(location))).location).toBe('/x');
    expect(provider.requests.at(-1)?.form.get('redirect_uri')).toBe(
      'https://admin.example.net:8443/oidc/callback/corp',
    );
  });
});
