import { describe, expect } from 'vitest';
import { SamlBrowser } from '../../support/agent/saml-browser.js';
import { startCompany } from '../../support/agent/saml-company.js';
import { posted, signedResponse } from '../../support/agent/saml-documents.js';
import { acsUrlAt, beginSignOn, partsFor, samlBlockAt } from '../../support/agent/saml-exchange.js';
import { idpKey } from '../../support/agent/saml-keys.js';
import { it } from '../../support/shared/fixtures.js';
import { startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { startRedis } from '../../support/shared/redis-server.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const sessionCookie = 'gateway_saml_session';

/** A sign-on; the session it was answered with, null where it came to nothing. */
const signOn = async (port: number): Promise<string | null> => {
  const begun = await beginSignOn(port);
  if (begun === null) return null;
  const response = posted(signedResponse(partsFor(port, begun.requestId)));
  const fields = { SAMLResponse: response, RelayState: begun.relayState };
  const { status } = await begun.browser.post({ action: acsUrlAt(port), fields });
  return status === 302 ? (begun.browser.cookie(sessionCookie) ?? null) : null;
};

/** The same work, by 16 at a time. */
const lanes = (work: () => Promise<void>): Promise<unknown> => Promise.all(Array.from({ length: 16 }, work));

interface Moment {
  readonly reached: Promise<void>;
  readonly resolve: () => void;
}

const withResolvers = (): Moment => {
  let resolve: () => void = () => undefined;
  const reached = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { reached, resolve };
};

describe('sessions in SQLite', () => {
  it('survive two kills of the agent during 400 sign-ons if a cookie was sent', async ({ cleanUp }) => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    const certificate = folder.write('idp.crt', idpKey().certificatePem);
    const stack = await startStack(cleanUp, {
      transport: 'socket',
      agentMembers: 'events "request_headers" "request_body_chunk"; timeout-ms 5000',
      agentConfig: (port) => samlBlockAt(port, certificate, folder.file('sessions.db')),
    });
    const wanted = 400;
    const answered: string[] = [];
    /** By how many have to be answered. */
    const moments = new Map([100, 250].map((count) => [count, withResolvers()]));
    const client = async () => {
      while (answered.length < wanted) {
        const session = await signOn(stack.port);
        if (session !== null) moments.get(answered.push(session))?.resolve();
        // Nobody answers while the agent is away.
        else await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    const clients = lanes(client);
    for (const moment of moments.values()) {
      await Promise.race([moment.reached, clients]);
      stack.agent().signal('SIGKILL');
      await stack.agent().exited;
      stack.restartAgent();
      await stack.agentsPresent();
    }
    await clients;
    stack.agent().signal('SIGKILL');
    await stack.agent().exited;
    stack.restartAgent();
    await stack.agentsPresent();
    const lost: string[] = [];
    const unseen = [...answered];
    await lanes(async () => {
      for (let session = unseen.pop(); session !== undefined; session = unseen.pop()) {
        const browser = new SamlBrowser(stack.port);
        browser.setCookie(sessionCookie, session);
        if ((await browser.visit('/app')).status !== 200) lost.push(session);
      }
    });
    expect(lost).toEqual([]);
    expect(answered.length).toBeGreaterThanOrEqual(wanted);
  }, 120_000);
});

describeWithPeers(['redis-server'], 'two gateways with separate agents and a shared Redis', () => {
  it('share sessions and sign-ons, and accept a response only once', async ({ cleanUp }) => {
    const redis = await startRedis();
    cleanUp.add(() => redis.remove());
    const store = `session-store "redis"; session-store-url "${redis.url().reveal()}"`;
    const members = 'allow-idp-initiated #true';
    const first = await startCompany(cleanUp, { transport: 'socket', store, members });
    const { provider } = first;
    // Both are one service provider, reached at the address of the first.
    const second = await startCompany(cleanUp, {
      transport: 'embedded',
      store,
      members,
      sharedProvider: provider,
      consumerPort: first.stack.port,
    });
    const browser = new SamlBrowser(first.stack.port);
    const page = await browser.pageFor('/app/shared');
    const elsewhere = new SamlBrowser(second.stack.port);
    for (const name of browser.cookieNames()) elsewhere.setCookie(name, browser.cookie(name) ?? '');
    expect((await elsewhere.post(page)).status).toBe(302);
    expect((await browser.post(page)).status).toBe(403);
    browser.setCookie(sessionCookie, elsewhere.cookie(sessionCookie) ?? '');
    expect((await browser.visit('/app/shared')).status).toBe(200);

    // A response that nobody asked for is bound to no browser and no request: its id alone keeps it from being taken
    // twice.
    const unasked = { action: page.action, fields: { SAMLResponse: await provider.response('') } };
    expect((await new SamlBrowser(first.stack.port).post(unasked)).status).toBe(302);
    expect((await new SamlBrowser(second.stack.port).post(unasked)).status).toBe(403);
    await second.stack.gateway.wrote(/"sign-on refused".*"reason":"replayed"|"reason":"replayed".*"sign-on refused"/);

    expect((await elsewhere.visit('/saml/logout')).status).toBe(302);
    await untilTrue(
      'the other gateway has seen the end of the session',
      async () => (await browser.visit('/app/shared')).status === 302,
    );
  });
});
