import { Agent } from 'node:http';
import { expect } from 'vitest';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { type Echo, echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { it } from '../../support/shared/fixtures.js';
import { call } from '../../support/shared/http-call.js';

const sent = ['Host', 'shop.example', 'X-Forwarded-For', '192.0.2.1', 'X-Custom', 'a', 'Connection', 'keep-alive'];

const valuesOf = ({ rawHeaders }: Echo, lowerName: string): readonly string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === lowerName);

it('repeated fields of a connection follow the current configuration and route', async ({ cleanUp }) => {
  const one = await startHttpUpstream(echo);
  cleanUp.add(() => one.close());
  const other = await startHttpUpstream((request, response) => {
    request.url = `/of-the-other${request.url}`;
    echo(request, response);
  });
  cleanUp.add(() => other.close());
  const upstreams = [testUpstream(one.port), testUpstream(other.port, { name: 'other' })];
  const plain = testConfiguration(upstreams, {
    routes: [
      testRoute(),
      testRoute({
        id: 'other',
        priority: 60,
        matches: { ...testRoute().matches, pathPrefixes: ['/other'] },
        upstream: 'other',
      }),
    ],
  });
  const trusting: GatewayConfiguration = {
    ...plain,
    listeners: plain.listeners.map((listener) => ({ ...listener, trustedProxies: ['127.0.0.1'] })),
  };
  const gateway = await startInProcess(plain);
  cleanUp.add(() => gateway.stop());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  cleanUp.add(() => agent.destroy());
  const sockets = new Set<unknown>();
  agent.on('free', (socket) => sockets.add(socket));
  const ids = new Set<string>();
  let requests = 0;
  const asked = async (path: string): Promise<Echo> => {
    const { body } = await call(gateway.address.port, { path, headers: sent, agent });
    const came = JSON.parse(body) as Echo;
    const [id] = valuesOf(came, 'x-correlation-id');
    if (id !== undefined) ids.add(id);
    return came;
  };
  for (const [configuration, chain] of [
    [null, '127.0.0.1'],
    [trusting, '192.0.2.1, 127.0.0.1'],
    [plain, '127.0.0.1'],
  ] as const) {
    if (configuration !== null) expect(await gateway.reload(configuration)).toMatchObject({ ok: true });
    for (let time = 0; time < 4; time += 1) {
      for (const [path, url] of [
        ['/all', '/all'],
        ['/other', '/of-the-other/other'],
      ] as const) {
        const came = await asked(path);
        requests += 1;
        expect(came.url).toBe(url);
        expect(valuesOf(came, 'x-forwarded-for')).toEqual([chain]);
        expect(valuesOf(came, 'x-custom')).toEqual(['a']);
        expect(valuesOf(came, 'host')).toEqual(['shop.example']);
        expect(ids.size).toBe(requests);
      }
    }
  }
  expect(sockets.size).toBe(1);
});
