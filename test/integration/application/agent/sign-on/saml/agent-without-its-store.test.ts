import { rmSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { JsonObject } from '../../../../../../src/domain/shared/json.js';
import { AgentBrowser, samlConfig } from '../../../../../support/agent/saml-agent.js';
import { signedResponse } from '../../../../../support/agent/saml-documents.js';
import { idpKey } from '../../../../../support/agent/saml-keys.js';
import { startedTestAgent } from '../../../../../support/agent/test-agent.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { freePort } from '../../../../../support/shared/free-port.js';
import { describeWithPeers } from '../../../../../support/shared/peers.js';
import { startRedis } from '../../../../../support/shared/redis-server.js';
import { temporaryFolder } from '../../../../../support/shared/temporary-folder.js';

const session = 'gateway_saml_session';

/** An agent with an API key beside single sign-on; the session store is given by its keys. */
const started = async (cleanUp: CleanUp, store: JsonObject) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const saml = { 'session-store-path': folder.file('sessions.db'), ...store };
  const options = samlConfig(folder.write('idp.pem', idpKey().certificatePem), saml, {
    'api-keys': 'key-of-orders:orders',
  });
  const made = await startedTestAgent(options);
  cleanUp.add(() => made.agent.stop());
  const connection = Symbol('connection');
  const browser = new AgentBrowser((event) => made.agent.decide(event, connection));
  const signOn = async () => {
    const { id, relayState } = await browser.begin();
    const nowMs = made.clock.wallMs();
    return browser.respond(signedResponse({ nowMs, inResponseTo: id, assertion: { id: `_of-${id}` } }), relayState);
  };
  return { ...made, folder, browser, signOn };
};

const degraded = { state: 'degraded', message: expect.stringContaining('the session store cannot be used') };

describeWithPeers(['redis-server'], 'an agent with sessions in Redis', () => {
  it('starts without Redis with a warning, and refuses only requests that need a session', async ({ cleanUp }) => {
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    const { agent, browser, signOn, logger } = await started(cleanUp, {
      'session-store': 'redis',
      'session-store-path': null,
      'session-store-url': url,
    });
    expect(agent.health()).toMatchObject(degraded);
    expect((await browser.get('/orders', ['x-api-key', 'key-of-orders'])).status).toBe(200);
    expect((await browser.get('/orders')).status).toBe(503);
    browser.cookies.set(session, 'A'.repeat(43));
    expect((await browser.get('/orders')).status).toBe(503);
    const said = logger.lines.filter(({ message }) => message === 'the session store cannot be used');
    expect(said).toHaveLength(1);

    const redis = await startRedis({ port });
    cleanUp.add(redis.remove);
    browser.cookies.clear();
    await expect.poll(async () => (await browser.get('/orders')).status).toBe(302);
    expect((await signOn()).status).toBe(302);
    expect((await browser.get('/orders')).status).toBe(200);
    await expect.poll(() => agent.metrics() && agent.health().state).toBe('healthy');
  });

  it('keeps used sessions over a reload while Redis is down', async ({ cleanUp }) => {
    const redis = await startRedis();
    cleanUp.add(redis.remove);
    const { agent, browser, signOn, clock } = await started(cleanUp, {
      'session-store': 'redis',
      'session-store-path': null,
      'session-store-url': redis.url().reveal(),
    });
    expect((await signOn()).status).toBe(302);
    await redis.kill();
    expect(await agent.reload()).toMatchObject({ ok: true });
    clock.advance(30_000);
    expect((await browser.get('/orders')).status).toBe(200);
    clock.advance(31_000);
    expect((await browser.get('/orders')).status).toBe(503);
  });
});

describe('an agent with sessions in a removed file', () => {
  it('reports it, and works again after a reload', async ({ cleanUp }) => {
    const { agent, browser, signOn, folder } = await started(cleanUp, {});
    expect((await signOn()).status).toBe(302);
    const pushed: string[] = [];
    cleanUp.add(agent.onHealthChange(({ state }) => void pushed.push(state)));
    for (const end of ['', '-wal', '-shm']) rmSync(folder.file(`sessions.db${end}`));
    browser.cookies.clear();
    expect((await browser.get('/orders')).status).toBe(503);
    expect(agent.health()).toMatchObject(degraded);
    // Nobody had asked for it by then.
    expect(pushed).toEqual(['degraded']);
    expect(await agent.reload()).toMatchObject({ ok: true });
    await expect.poll(() => agent.health().state).toBe('healthy');
    expect((await signOn()).status).toBe(302);
    expect((await browser.get('/orders')).status).toBe(200);
  });

  it('refuses to reload if only the log is left, and reports why', async ({ cleanUp }) => {
    const { agent, browser, folder } = await started(cleanUp, {});
    await browser.get('/orders');
    rmSync(folder.file('sessions.db'));
    expect(await agent.reload()).toMatchObject({
      ok: false,
      error: expect.stringContaining('was removed or replaced'),
    });
  });
});
