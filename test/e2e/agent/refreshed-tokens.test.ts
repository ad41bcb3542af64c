import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { LiveLoginProvider } from '../../support/agent/live-login-provider.js';
import { headersOf, loginBlock, loginWithTokens } from '../../support/agent/login-with-tokens.js';
import { expectNoToken, expectOneRefresh } from '../../support/agent/two-gateways.js';
import { it } from '../../support/shared/fixtures.js';
import { startStack } from '../../support/shared/gateway-stack.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const program = fileURLToPath(new URL('../../../dist/programs/main-gateway-auth.js', import.meta.url));

describeWithPeers(['redis-server'], 'two gateways with two workers each', () => {
  it('refresh a session once for many requests after the end of its access token', async ({ cleanUp }) => {
    await expectOneRefresh(cleanUp, 200);
  });
});

describe('the tokens of a session', () => {
  it('rotate, and are in no log, endpoint, command or file', async ({ cleanUp, folder }) => {
    const provider = new LiveLoginProvider();
    await provider.start();
    cleanUp.add(() => provider.stop());
    provider.givesRefreshTokens = true;
    provider.accessSecs = () => 2;
    const path = folder.file('store/sessions.db');
    const stack = await startStack(cleanUp, {
      transport: 'embedded',
      agentMembers: 'events "request_headers" "request_body_chunk"; timeout-ms 10000',
      adminToken: 'the-admin-token-0123456789',
      env: { RUST_LOG: 'trace' },
      agentConfig: (port) => {
        const origin = `http://127.0.0.1:${port}`;
        provider.register({ redirectUris: [`${origin}/oidc/callback/corp`] });
        return `sessions { store "sqlite"; path "${path}" } ${loginBlock(provider, origin, 'forward-access-token #true')}`;
      },
    });
    const { cookie } = await loginWithTokens(stack, provider);
    const seen = new Set<string>();
    await expect
      .poll(
        async () => {
          const { status } = await stack.ask({ path: '/app/x', headers: { cookie, accept: 'application/json' } });
          expect(status).toBe(200);
          seen.add(headersOf(stack.upstream.received.at(-1)?.rawHeaders ?? [])['authorization'] ?? '');
          return seen.size;
        },
        { timeout: 20_000, interval: 100 },
      )
      .toBeGreaterThanOrEqual(3);
    const issued = new Set(provider.issued.map((tokens) => `Bearer ${tokens['access_token']}`));
    for (const authorization of seen) expect(issued).toContain(authorization);
    expect(new Set(provider.issued.map((tokens) => tokens['refresh_token'])).size).toBe(provider.issued.length);

    const listed = (await stack.report('/admin/sessions')) as { readonly sessions: readonly { readonly id: string }[] };
    expect(listed.sessions).toHaveLength(1);
    const [session] = listed.sessions;
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [program, 'sessions', ...args, '--config', stack.configFile], { encoding: 'utf8' });
    const shown = [run('list', '--json'), run('show', session?.id ?? '', '--json'), run('show', session?.id ?? '')];
    expect(shown.map(({ status }) => status)).toEqual([0, 0, 0]);
    const files = readdirSync(dirname(path)).map((name) => readFileSync(join(dirname(path), name), 'latin1'));
    expect(files.join('')).toContain('refresh_token');
    const texts = [
      ...files,
      ...shown.map(({ stdout, stderr }) => stdout + stderr),
      JSON.stringify(listed),
      await stack.adminText('/metrics'),
      stack.gateway.output(),
    ];
    for (const text of texts) expectNoToken(text, provider);
  });
});
