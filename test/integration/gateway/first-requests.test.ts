import { afterEach, expect, it } from 'vitest';
import { NodeHttpEngine } from '../../../src/adapters/inbound/node-http-engine/node-http-engine.js';
import { NodeListeningSockets } from '../../../src/adapters/outbound/node-listening-sockets/node-listening-sockets.js';
import { CleanUp } from '../../support/clean-up.js';
import { startHttpUpstream } from '../../support/http-upstream.js';
import { startInProcess, testConfiguration, testUpstream } from '../../support/in-process-gateway.js';
import { plainTimeouts } from '../../support/plain-configurations.js';

const cleanUp = new CleanUp();
afterEach(() => cleanUp.run());

/** Asks whoever comes in by a listener before the next one is opened. */
class HastyClient extends NodeHttpEngine {
  readonly statuses: number[] = [];

  override async listen(...parameters: Parameters<NodeHttpEngine['listen']>) {
    const listener = await super.listen(...parameters);
    const { host, port } = listener.address();
    this.statuses.push((await fetch(`http://${host}:${port}/`)).status);
    return listener;
  }
}

it('a request that comes while other listeners are still being opened is served', async () => {
  const upstream = await startHttpUpstream((_request, response) => response.end('ok'));
  cleanUp.add(() => upstream.close());
  const engine = new HastyClient(new NodeListeningSockets());
  const listeners = ['main', 'other'].map((name) => ({
    name,
    address: { host: '127.0.0.1', port: 0 },
    tls: null,
    trustedProxies: [],
    proxyProtocol: false,
    acceptClientCertHeader: null,
    timeouts: plainTimeouts,
  }));
  const gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)], { listeners }), { engine });
  cleanUp.add(() => gateway.stop());
  expect(engine.statuses).toEqual([200, 200]);
});
