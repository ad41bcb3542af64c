import { describe, expect } from 'vitest';
import { LiveLoginProvider } from '../../support/agent/live-login-provider.js';
import { headersOf, loginBlock, loginWithTokens, untilEnded } from '../../support/agent/login-with-tokens.js';
import { expectOneRefresh } from '../../support/agent/two-gateways.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { startStack } from '../../support/shared/gateway-stack.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

/** Longer than the refresh lease of a killed process. */
const patience = { timeout: 45_000, interval: 500 };

/** A session whose access token has ended, and a refresh of it that the provider does not answer. */
const refreshing = async (cleanUp: CleanUp) => {
  const provider = new LiveLoginProvider();
  await provider.start();
  cleanUp.add(() => provider.stop());
  provider.givesRefreshTokens = true;
  provider.accessSecs = (issued) => (issued === 1 ? 2 : 3_600);
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const stack = await startStack(cleanUp, {
    transport: 'socket',
    agentMembers: 'events "request_headers" "request_body_chunk"; timeout-ms 10000',
    agentConfig: (port) => {
      const origin = `http://127.0.0.1:${port}`;
      provider.register({ redirectUris: [`${origin}/oidc/callback/corp`] });
      const store = `sessions { store "sqlite"; path "${folder.file('store/sessions.db')}" }`;
      return `${store} ${loginBlock(provider, origin, 'forward-access-token #true')}`;
    },
  });
  const { cookie, signedOnMs } = await loginWithTokens(stack, provider);
  await untilEnded(signedOnMs, 2);
  const ask = () => stack.ask({ path: '/app/x', headers: { cookie, accept: 'application/json' } });
  return { provider, stack, ask };
};

describeWithPeers(['redis-server'], 'two gateways with two workers each', () => {
  it('refresh a session once for a thousand requests after the end of its access token', async ({ cleanUp }) => {
    await expectOneRefresh(cleanUp, 1_000);
  });
});

describe('kill -9 of the agent in the middle of a refresh', () => {
  it('costs no session if the provider has not seen the refresh', async ({ cleanUp }) => {
    const { provider, stack, ask } = await refreshing(cleanUp);
    provider.dropsTokenRequests = true;
    const interrupted = ask().catch(() => null);
    await expect.poll(() => provider.paths.filter((path) => path === '/token').length, patience).toBe(2);
    stack.agent().signal('SIGKILL');
    await stack.agent().exited;
    provider.dropsTokenRequests = false;
    stack.restartAgent();
    await stack.agentsPresent();
    await interrupted;
    const statuses = new Set<number>();
    await expect
      .poll(async () => {
        const { status } = await ask();
        statuses.add(status);
        return status;
      }, patience)
      .toBe(200);
    // Until the lease of the dead process ends, there is no token, and the session stays.
    for (const status of statuses) expect([200, 503]).toContain(status);
    expect(headersOf(stack.upstream.received.at(-1)?.rawHeaders ?? [])['authorization']).toBe(
      `Bearer ${provider.issued[1]?.['access_token']}`,
    );
    expect(provider.issued).toHaveLength(2);
  });

  it('leads to a new sign-on if the provider has spent the refresh token', async ({ cleanUp }) => {
    const { provider, stack, ask } = await refreshing(cleanUp);
    provider.dropsTokenAnswers = true;
    const interrupted = ask().catch(() => null);
    await expect.poll(() => provider.issued.length, patience).toBe(2);
    stack.agent().signal('SIGKILL');
    await stack.agent().exited;
    provider.dropsTokenAnswers = false;
    stack.restartAgent();
    await stack.agentsPresent();
    await interrupted;
    await expect.poll(async () => (await ask()).status, patience).toBe(401);
    const { cookie } = await loginWithTokens(stack, provider);
    const again = await stack.ask({ path: '/app/x', headers: { cookie, accept: 'application/json' } });
    expect(again.status).toBe(200);
  });
});
