import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { LiveSamlProvider, newSamlKey } from '../../support/agent/live-saml-provider.js';
import { introduce, SamlBrowser } from '../../support/agent/saml-browser.js';
import { type BalancedGateway, startBalancedGateway } from '../../support/gateway/balanced-gateways.js';
import { startDocumentedHaproxy, startDocumentedNginx } from '../../support/shared/documented-balancers.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { startRedis } from '../../support/shared/redis-server.js';
import { SteadyLoad } from '../../support/shared/steady-load.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const sessionCookie = 'gateway_saml_session';
/** Within which a session that was ended on one gateway has ended on the others (docs/guides/saml.md). */
const rememberedMs = 5_000;
const measuredMs = 4_000;
const perSecond = 20;
const burst = 20;
/** Between two requests of a lane of the load. */
const pauseMs = 20;
const provider = new LiveSamlProvider();
let one: BalancedGateway;
/** With two workers. */
let two: BalancedGateway;
let haproxyPort: number;
let passingPort: number;
let nginxPort: number;

const rated = (name: string, rate: number): string => `
  route "${name}" {
    priority "high"
    matches { path "/${name}" }
    upstream "api"
    policies { rate-limit { requests-per-second ${rate}; burst ${burst}; key "client_ip" } }
  }`;

interface Shared {
  readonly redis: string;
  readonly consumerPort: number;
  readonly keyFile: string;
  readonly certificateFile: string;
}

const blocks = ({ redis, consumerPort, keyFile, certificateFile }: Shared): string => `
limits {
  max-connections-per-client 1000
  rate-limit-store "redis"
  rate-limit-store-url "${redis}"
}
routes {
  route "ready" { priority 1000; matches { path "/ready" }; service-type "builtin"; builtin-handler "ready" }
  ${rated('steady', perSecond)}
  ${rated('at-once', 0.001)}
  ${rated('passed-on', 0.001)}
  route "open" { matches { path-prefix "/open" }; upstream "api" }
  route "signed-on" { matches { path-prefix "/" }; upstream "api"; agents "auth" }
}
agents {
  agent "auth" {
    transport "embedded"
    events "request_headers" "request_body_chunk"
    timeout-ms 5000
    config {
      saml {
        enabled #true
        entity-id "urn:example:portcullis"
        acs-url "http://127.0.0.1:${consumerPort}/saml/acs"
        idp-metadata-url "${provider.origin}/metadata"
        sp-key-file "${keyFile}"
        sp-cert-file "${certificateFile}"
        session-store "redis"
        session-store-url "${redis}"
        protected-paths "/app"
        allow-idp-initiated #true
      }
    }
  }
}
`;

/** Who answers a GET that this client address sends on a connection of its own; null: it was refused for its rate. */
const answerer = (port: number, path: string, clientAddress: string): Promise<string | null> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, localAddress: clientAddress, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text);
        else if (response.statusCode === 429) resolve(null);
        else reject(new Error(`answered ${response.statusCode}: ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end();
  });

/** The same browser, at another gateway. */
const moved = (browser: SamlBrowser, { port }: BalancedGateway): SamlBrowser => {
  const other = new SamlBrowser(port);
  for (const name of browser.cookieNames()) other.setCookie(name, browser.cookie(name) ?? '');
  return other;
};

describeWithPeers(['redis-server', 'haproxy', 'nginx'], 'two gateways behind balancers with a shared Redis', () => {
  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    const folder = temporaryFolder();
    cleanUp.add(() => folder.remove());
    await provider.start();
    cleanUp.add(() => provider.stop());
    const redis = await startRedis({ password: 'a-password' });
    cleanUp.add(() => redis.remove());
    [haproxyPort, passingPort, nginxPort] = [await freePort(), await freePort(), await freePort()];
    const { key, certificate } = newSamlKey('service provider');
    const shared = blocks({
      redis: redis.url().reveal(),
      consumerPort: haproxyPort,
      keyFile: folder.write('sp.key', key),
      certificateFile: folder.write('sp.crt', certificate),
    });
    // One after the other: each has its own time to come up, on a busy machine too.
    one = await startBalancedGateway(cleanUp, folder, { name: 'one', workers: 1, blocks: shared });
    two = await startBalancedGateway(cleanUp, folder, { name: 'two', workers: 2, blocks: shared });
    const gateways = [one.port, two.port] as const;
    const passedOn = { port: passingPort, gateways: [one.passedOnPort, two.passedOnPort] } as const;
    const haproxy = await startDocumentedHaproxy(folder, { port: haproxyPort, gateways }, passedOn);
    cleanUp.add(() => haproxy.stop());
    const nginx = await startDocumentedNginx(folder, { port: nginxPort, gateways });
    cleanUp.add(() => nginx.stop());
    await introduce(provider, haproxyPort);
  });

  describe('single sign-on', () => {
    it('begins on one and ends on the other, and the session is valid on both', async () => {
      const atOne = new SamlBrowser(one.port);
      const page = await atOne.pageFor('/app/orders?page=2');
      const atTwo = moved(atOne, two);
      const answer = await atTwo.post(page);
      expect([answer.status, answer.headers.location]).toEqual([302, '/app/orders?page=2']);
      expect(await atTwo.visit('/app/orders')).toMatchObject({ status: 200, body: 'two' });
      expect(await moved(atTwo, one).visit('/app/orders')).toMatchObject({ status: 200, body: 'one' });
    });

    it('refuses on one a response that the other accepted, solicited or not', async () => {
      const atOne = new SamlBrowser(one.port);
      const page = await atOne.pageFor('/app');
      const atTwo = moved(atOne, two);
      expect((await atTwo.post(page)).status).toBe(302);
      // The browser that has thrown nothing away yet.
      const again = await atOne.post(page);
      expect([again.status, atOne.cookie(sessionCookie)]).toEqual([403, undefined]);

      const unasked = { action: provider.acsUrl(), fields: { SAMLResponse: await provider.response('') } };
      expect((await new SamlBrowser(two.port).post(unasked)).status).toBe(302);
      for (const { port } of [one, two]) expect((await new SamlBrowser(port).post(unasked)).status).toBe(403);
      // Lines of the log are written a little later.
      await untilTrue('the log says why', async () => one.output().includes('"reason":"replayed"'));
    });
  });

  describe.concurrent('an action on one gateway', () => {
    it('ends a session on the other within five seconds after a sign-out', async ({ expect: expectThis }) => {
      const atOne = new SamlBrowser(one.port);
      await atOne.signOn('/app');
      const atTwo = moved(atOne, two);
      // Both have asked the store for it, and remember it.
      for (const browser of [atOne, atTwo]) expectThis((await browser.visit('/app')).status).toBe(200);
      expectThis((await atTwo.visit('/saml/logout')).status).toBe(302);
      const endedMs = performance.now();
      let lastLetInMs = 0;
      await untilTrue('the session has ended', async () => {
        const askedMs = performance.now();
        const { status } = await atOne.visit('/app');
        if (status === 200) lastLetInMs = askedMs;
        return status === 302;
      });
      expectThis(lastLetInMs - endedMs).toBeLessThan(rememberedMs);
    });

    it("counts toward the client's rate limit on the other, within 5 %", async ({ expect: expectThis }) => {
      const begunMs = performance.now();
      const answers: string[] = [];
      let sentMs = begunMs;
      const lane = async (): Promise<void> => {
        while (performance.now() - begunMs < measuredMs) {
          sentMs = performance.now();
          const name = await answerer(haproxyPort, '/steady', '127.0.0.2');
          if (name !== null) answers.push(name);
          else await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };
      // So many that they come to the rate on a busy machine too, where each answer takes long.
      await Promise.all(Array.from({ length: 12 }, lane));
      const due = (endMs: number): number => burst + (perSecond * (endMs - begunMs)) / 1000;
      // What could have passed behind the last request was not asked for.
      expectThis(answers.length).toBeGreaterThan(due(sentMs) * 0.95);
      expectThis(answers.length).toBeLessThanOrEqual(due(performance.now()) * 1.05);
      expectThis(new Set(answers)).toEqual(new Set(['one', 'two']));
    });
  });

  it.each([
    ['haproxy, which reads HTTP', () => haproxyPort, '/at-once', ['127.0.0.3', '127.0.0.4']],
    ['haproxy, which passes connections on', () => passingPort, '/passed-on', ['127.0.0.3', '127.0.0.4']],
    ['nginx', () => nginxPort, '/at-once', ['127.0.0.5', '127.0.0.6']],
  ] as const)('pass exactly the burst of each client together, behind %s', async (_name, port, path, clients) => {
    for (const client of clients) {
      const answers = await Promise.all(Array.from({ length: 2 * burst }, () => answerer(port(), path, client)));
      const passed = answers.filter((name) => name !== null);
      expect(passed).toHaveLength(burst);
    }
  });

  it('close a connection without a PROXY header', async () => {
    for (const { passedOnPort } of [one, two]) {
      await expect(call(passedOnPort, { path: '/open' })).rejects.toMatchObject({ code: 'ECONNRESET' });
    }
  });

  describe('under a steady load', () => {
    const kept = new Agent({ keepAlive: true, maxSockets: 4 });
    afterAll(() => kept.destroy());
    let cookie: string;
    beforeAll(async () => {
      const browser = new SamlBrowser(haproxyPort);
      await browser.signOn('/app');
      cookie = `${sessionCookie}=${browser.cookie(sessionCookie)}`;
    });

    it.each([
      ['the one with workers is restarted', () => two, 'restart', true],
      ['the other is replaced', () => one, 'upgrade', false],
    ] as const)('fail no request while %s, and keep sessions', async (_name, gateway, act, isTakenOut) => {
      const failures: string[] = [];
      const load = (port: number): SteadyLoad => {
        let asked = 0;
        return new SteadyLoad(
          'before',
          2,
          async () => {
            asked += 1;
            const method = asked % 2 === 0 ? 'POST' : 'GET';
            const agent = asked % 4 < 2 ? { agent: kept } : {};
            const body = method === 'POST' ? { body: 'an order' } : {};
            const what = `${method} at ${port}, ${asked % 4 < 2 ? 'kept' : 'new'} connection`;
            try {
              const answer = await call(port, {
                path: '/app/orders',
                method,
                headers: { cookie },
                ...agent,
                ...body,
              });
              if (answer.status !== 200) failures.push(`${what}: ${answer.status} ${answer.body}`);
              return answer.status;
            } catch (error) {
              failures.push(`${what}: ${String(error)}`);
              throw error;
            }
          },
          pauseMs,
        );
      };
      const loads = [load(haproxyPort), load(nginxPort)];
      // As a balancer looks after it that keeps the connection of its checks.
      const checks = new SteadyLoad(
        'all',
        1,
        async () => (await call(gateway().port, { path: '/ready', agent: kept })).status,
        pauseMs,
      );
      await gateway()[act]();
      for (const each of loads) each.enter('after');
      for (const port of [haproxyPort, nginxPort]) {
        const seen = new Set<string | null>();
        await untilTrue(
          `${port} asks both again`,
          async () => seen.add(await answerer(port, '/open', '127.0.0.1')).size === 2,
        );
      }
      await Promise.all([...loads, checks].map((each) => each.stop()));
      expect(failures).toEqual([]);
      // Taken out, it says so first, and is away for a while; else nobody sees anything of it.
      expect([...new Set(checks.all())].sort()).toEqual(isTakenOut ? [0, 200, 503] : [200]);
      for (const each of loads) expect(each.statuses('before').length).toBeGreaterThan(20);
    });
  });
});
