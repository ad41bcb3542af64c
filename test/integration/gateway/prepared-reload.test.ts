import { createServer } from 'node:net';
import { describe, expect } from 'vitest';
import { SocketLayerSelector } from '../../../src/adapters/stream-sockets/socket-layer-selector.js';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  startInProcess,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { testSocketLayers } from '../../support/gateway/socket-layers.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { call } from '../../support/shared/http-call.js';

const started = async (cleanUp: CleanUp) => {
  const upstream = await startHttpUpstream(echo);
  cleanUp.add(() => upstream.close());
  const configuration = testConfiguration([testUpstream(upstream.port)]);
  const gateway = await startInProcess(configuration);
  cleanUp.add(() => gateway.stop());
  const port = await freePort();
  const [first] = configuration.listeners;
  if (first === undefined) throw new Error('there is a listener');
  /** With one route less and one listener more. */
  const changed: GatewayConfiguration = {
    ...configuration,
    listeners: [first, { ...first, name: 'second', address: { host: '127.0.0.1', port } }],
    routes: [testRoute({ matches: { ...testRoute().matches, pathPrefixes: ['/new'] } })],
  };
  return { gateway, changed, port, status: async () => (await call(gateway.address.port, { path: '/old' })).status };
};

/** The same configuration on the other socket layer. */
const onOtherLayer = (configuration: GatewayConfiguration): GatewayConfiguration => ({
  ...configuration,
  system: { ...configuration.system, sockets: testSocketLayers.name === 'native' ? 'node' : 'auto' },
});

describe('the socket layer', () => {
  it('stays what it was if a reload is refused or abandoned', async ({ cleanUp }) => {
    const { gateway, changed, port } = await started(cleanUp);
    const before = testSocketLayers.name;
    const occupied = createServer();
    await new Promise<void>((resolve) => void occupied.listen(port, '127.0.0.1', resolve));
    cleanUp.add(() => void occupied.close());
    gateway.load(onOtherLayer(changed));
    expect((await gateway.gateway.reload()).ok).toBe(false);
    expect(testSocketLayers.name).toBe(before);
    await new Promise<void>((resolve) => void occupied.close(() => resolve()));
    const prepared = await gateway.gateway.prepareReload();
    if (!prepared.ok) throw new Error('the port is free now');
    await prepared.value.abandon();
    expect(testSocketLayers.name).toBe(before);
  });
});

describe('a reload where the addon does not load', () => {
  const start = async (cleanUp: CleanUp, sockets: 'auto' | 'node') => {
    const configuration = testConfiguration([], { routes: [testRoute({ upstream: null, builtinHandler: 'health' })] });
    const withSockets = (sockets: 'auto' | 'node'): GatewayConfiguration => ({
      ...configuration,
      system: { ...configuration.system, sockets },
    });
    const gateway = await startInProcess(withSockets(sockets), {
      socketLayers: new SocketLayerSelector(() => Promise.reject(new Error('it is not built'))),
    });
    cleanUp.add(() => gateway.stop());
    return {
      reload: (sockets: 'auto' | 'node') => gateway.reload(withSockets(sockets)),
      warnings: () => gateway.logger.lines.filter(({ message }) => message.startsWith('connections use node:net')),
    };
  };

  it('warns once when it changes node to auto', async ({ cleanUp }) => {
    const { reload, warnings } = await start(cleanUp, 'node');
    expect(warnings()).toEqual([]);
    await reload('auto');
    expect(warnings()).toMatchObject([{ level: 'warn', fields: { reason: 'it is not built' } }]);
    await reload('auto');
    expect(warnings()).toHaveLength(1);
  });

  it('does not repeat the warning of the start', async ({ cleanUp }) => {
    const { reload, warnings } = await start(cleanUp, 'auto');
    await reload('auto');
    expect(warnings()).toHaveLength(1);
  });
});

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

describe('a reload in two steps', () => {
  it('changes nothing before the commit, then everything at once', async ({ cleanUp }) => {
    const { gateway, changed, port, status } = await started(cleanUp);
    gateway.load(changed);
    const prepared = await gateway.gateway.prepareReload();
    if (!prepared.ok) throw new Error('it is right');
    expect(await status()).toBe(200);
    prepared.value.commit();
    expect(await status()).toBe(404);
    expect((await call(port, { path: '/new' })).status).toBe(200);
    expect(gateway.state.reloads().count).toBe(1);
    await prepared.value.abandon();
    expect((await call(port, { path: '/new' })).status).toBe(200);
  });

  it('leaks nothing when abandoned', async ({ cleanUp }) => {
    const { gateway, changed, port, status } = await started(cleanUp);
    gateway.load(changed);
    const prepared = await gateway.gateway.prepareReload();
    if (!prepared.ok) throw new Error('it is right');
    await prepared.value.abandon();
    prepared.value.commit();
    expect(await status()).toBe(200);
    expect(await isFree(port)).toBe(true);
    expect(gateway.state.reloads().count).toBe(0);
  });

  it('makes clients of a new listener wait, and disconnects them if abandoned', async ({ cleanUp }) => {
    for (const isCommitted of [true, false]) {
      const { gateway, changed, port, status } = await started(cleanUp);
      gateway.load(changed);
      const prepared = await gateway.gateway.prepareReload();
      if (!prepared.ok) throw new Error('it is right');
      // The configuration before would have answered 404.
      const early = call(port, { path: '/new' }).then(
        ({ status }) => status,
        () => 'cut off',
      );
      expect(await status()).toBe(200);
      if (isCommitted) prepared.value.commit();
      else await prepared.value.abandon();
      expect(await early).toBe(isCommitted ? 200 : 'cut off');
    }
  });

  it('makes other reloads wait', async ({ cleanUp }) => {
    const { gateway, changed, status } = await started(cleanUp);
    gateway.load(changed);
    const prepared = await gateway.gateway.prepareReload();
    if (!prepared.ok) throw new Error('it is right');
    const order: string[] = [];
    const next = gateway.gateway.reload().then(() => void order.push('reloaded'));
    expect(await status()).toBe(200);
    order.push('committed');
    prepared.value.commit();
    await next;
    expect(order).toEqual(['committed', 'reloaded']);
    expect(gateway.state.reloads().count).toBe(2);
  });

  it('is abandoned at shutdown without a wait', async ({ cleanUp }) => {
    const { gateway, changed, port } = await started(cleanUp);
    gateway.load(changed);
    const prepared = await gateway.gateway.prepareReload();
    if (!prepared.ok) throw new Error('it is right');
    await gateway.stop();
    prepared.value.commit();
    expect(gateway.state.reloads().count).toBe(0);
    expect(await isFree(port)).toBe(true);
    expect(await gateway.gateway.prepareReload()).toMatchObject({
      ok: false,
      error: { reason: 'the gateway is draining' },
    });
  });
});
