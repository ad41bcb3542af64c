import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { CoreHttpEngine } from '../../../src/adapters/inbound/http-engines/core/core-http-engine.js';
import { NodeListeningSockets } from '../../../src/adapters/outbound/node-listening-sockets/node-listening-sockets.js';
import { startInProcess, testConfiguration } from '../../support/gateway/in-process-gateway.js';
import { plainTimeouts } from '../../support/gateway/plain-configurations.js';
import { testSocketLayers } from '../../support/gateway/socket-layers.js';
import { it } from '../../support/shared/fixtures.js';

const outcomeOf = (host: string, port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve('connected');
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''));
  });

/** Knocks at a listener before the next one is bound; the one at `fails` cannot be had. */
class HastyClient extends CoreHttpEngine {
  readonly outcomes: string[] = [];
  fails = Infinity;

  override async bind(...parameters: Parameters<CoreHttpEngine['bind']>) {
    if (this.outcomes.length === this.fails) throw new Error('the address is taken');
    const listener = await super.bind(...parameters);
    const { host, port } = listener.address();
    this.outcomes.push(await outcomeOf(host, port));
    return listener;
  }
}

const start = (engine: CoreHttpEngine) => {
  const listeners = ['main', 'other'].map((name) => ({
    name,
    address: { host: '127.0.0.1', port: 0 },
    tls: null,
    trustedProxies: [],
    proxyProtocol: false,
    acceptClientCertHeader: null,
    http2: false,
    timeouts: plainTimeouts,
  }));
  return startInProcess(testConfiguration([], { listeners }), { engine });
};

describe('a gateway that starts', () => {
  it('accepts no connection before all listeners are bound', async ({ cleanUp }) => {
    const engine = new HastyClient(new NodeListeningSockets(), testSocketLayers);
    const gateway = await start(engine);
    cleanUp.add(() => gateway.stop());
    expect(engine.outcomes).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
    const { hostname, port } = new URL(gateway.url);
    expect(await outcomeOf(hostname, Number(port))).toBe('connected');
  });

  it('accepts no connection if one listener cannot be bound', async () => {
    const engine = new HastyClient(new NodeListeningSockets(), testSocketLayers);
    engine.fails = 1;
    await expect(start(engine)).rejects.toThrow();
    expect(engine.outcomes).toEqual(['ECONNREFUSED']);
  });
});
