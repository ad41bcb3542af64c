import { expect } from 'vitest';
import type { ProviderCookies } from '../../support/agent/live-login-provider.js';
import { type LoginCompany, type LoginCompanyPlan, startLoginCompany } from '../../support/agent/login-company.js';
import { SamlBrowser as CookieBrowser } from '../../support/agent/saml-browser.js';
import { it } from '../../support/shared/fixtures.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { startRedis } from '../../support/shared/redis-server.js';

const sessionCookie = '__Host-portcullis_session';

/** From the beginning of a logout to the kill, in milliseconds: before, in and after the middle of it. */
const moments = [0, 2, 5, 10, 20, 40] as const;

const signOn = async ({ stack, provider }: LoginCompany) => {
  const browser = new CookieBrowser(stack.port);
  const atProvider: ProviderCookies = new Map();
  const asked = await browser.visit('/app/orders');
  const callback = await provider.authorize(asked.headers.location ?? '', atProvider);
  const completed = await browser.visit(callback.replace(/^https?:\/\/[^/]+/, ''));
  expect(completed.headers.location).toBe('/app/orders');
  return { browser, atProvider };
};

const statusOf = async ({ stack }: LoginCompany, session: string): Promise<number> => {
  const browser = new CookieBrowser(stack.port);
  browser.setCookie(sessionCookie, session);
  return (await browser.visit('/app/orders')).status;
};

const killAndRestart = async ({ stack }: LoginCompany): Promise<void> => {
  stack.agent().signal('SIGKILL');
  await stack.agent().exited;
  stack.restartAgent();
  await stack.agentsPresent();
};

describeWithPeers(['redis-server'], 'kill -9 of the agent in the middle of a logout', () => {
  for (const kind of ['sqlite', 'redis'] as const) {
    it(`by the back channel lets the provider try again, with ${kind}`, { timeout: 120_000 }, async ({ cleanUp }) => {
      const plan: LoginCompanyPlan = { transport: 'socket' };
      const redis = kind === 'redis' ? await startRedis() : null;
      if (redis !== null) cleanUp.add(() => redis.remove());
      const store = redis === null ? {} : { store: `store "redis"; url "${redis.url().reveal()}"` };
      const company = await startLoginCompany(cleanUp, { ...plan, ...store });
      const { provider, stack } = company;
      for (const moment of moments) {
        const { browser, atProvider } = await signOn(company);
        const session = browser.cookie(sessionCookie) ?? '';
        const posted: string[] = [];
        provider.onLogoutToken = (body) => void posted.push(body);
        const ending = provider.endSession(atProvider);
        await expect.poll(() => posted.length, { interval: 1 }).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, moment));
        await killAndRestart(company);
        await ending;
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const path = '/oidc/backchannel-logout';
        const again = await call(stack.port, { path, method: 'POST', headers, body: posted[0] ?? '' });
        // The first time may have ended it already. Whatever the answer, the session is over.
        expect([200, 400]).toContain(again.status);
        expect(await statusOf(company, session)).toBe(302);
        const late = await call(stack.port, { path, method: 'POST', headers, body: posted[0] ?? '' });
        expect(late.status).toBe(400);
      }
    });

    it(`by its user ends the session or lets the user try again, with ${kind}`, { timeout: 120_000 }, async ({
      cleanUp,
    }) => {
      const redis = kind === 'redis' ? await startRedis() : null;
      if (redis !== null) cleanUp.add(() => redis.remove());
      const store = redis === null ? {} : { store: `store "redis"; url "${redis.url().reveal()}"` };
      const company = await startLoginCompany(cleanUp, { transport: 'socket', ...store });
      for (const moment of moments) {
        const { browser } = await signOn(company);
        const session = browser.cookie(sessionCookie) ?? '';
        const leaving = browser.visit('/oidc/logout');
        await new Promise((resolve) => setTimeout(resolve, moment));
        await killAndRestart(company);
        const left = await leaving;
        if (left.status === 302) {
          expect(left.headers.location).toContain('/session/end?id_token_hint=');
          expect(await statusOf(company, session)).toBe(302);
        } else {
          // Nothing is half done: the cookie stays, and the next attempt ends the session.
          expect(browser.cookie(sessionCookie)).toBe(session);
          expect([200, 302]).toContain((await browser.visit('/oidc/logout')).status);
          expect(await statusOf(company, session)).toBe(302);
        }
      }
    });
  }
});
