import { connect, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import type { SocketAddress } from '../../../src/domain/configuration/network-addresses.js';
import type {
  GatewayConfiguration,
  LimitsConfiguration,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { startInProcess, testConfiguration, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { plainLimits } from '../../support/gateway/plain-configurations.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

const loopback = { host: '127.0.0.1', port: 0 };

const started = async (
  cleanUp: CleanUp,
  limits: Partial<LimitsConfiguration>,
  changes: Partial<GatewayConfiguration> = {},
) => {
  const upstream = await startHttpUpstream(echo);
  cleanUp.add(() => upstream.close());
  const configuration = testConfiguration([testUpstream(upstream.port)], {
    limits: { ...plainLimits, ...limits },
    admin: { address: loopback, token: null, readyRequires: [] },
    ...changes,
  });
  const gateway = await startInProcess(configuration);
  cleanUp.add(() => gateway.stop());
  return { gateway, configuration, address: gateway.address };
};

interface Asked {
  readonly socket: Socket;
  readonly status: number;
  readonly text: string;
}

/**
 * One request on a connection of its own, which is kept. `from`: the client's own address, one of the loopback ones.
 */
const ask = (cleanUp: CleanUp, to: SocketAddress, from = '127.0.0.1', path = '/'): Promise<Asked> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: to.host, port: to.port, localAddress: from });
    cleanUp.add(() => socket.destroy());
    socket.once('error', reject);
    socket.once('connect', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
    socket.once('data', (data) => {
      socket.off('error', reject);
      socket.on('error', () => undefined);
      resolve({ socket, status: Number(String(data).slice(9, 12)), text: String(data) });
    });
  });

const statuses = async (cleanUp: CleanUp, to: SocketAddress, ...from: readonly string[]): Promise<number[]> => {
  const all: number[] = [];
  for (const address of from) all.push((await ask(cleanUp, to, address)).status);
  return all;
};

describe('max-total-connections', () => {
  it('admits connections up to it over all addresses, and refuses one above', async ({ cleanUp }) => {
    const { gateway, address } = await started(cleanUp, { maxTotalConnections: 3 });
    expect(await statuses(cleanUp, address, '127.0.0.1', '127.0.0.2', '127.0.0.3')).toEqual([200, 200, 200]);
    const { status, text } = await ask(cleanUp, address, '127.0.0.4');
    expect(status).toBe(503);
    expect(text).toMatch(/^Retry-After: 1\r$/m);
    expect(text).toMatch(/^Connection: close\r$/m);
    const problem = JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) as Record<string, unknown>;
    expect(problem).toMatchObject({ code: 'connection_limit_reached', detail: 'max-total-connections is 3.' });
    expect(gateway.state.openConnections()).toBe(3);
    expect(gateway.logger.lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'Too many connections',
        fields: {
          error_type: 'connection_limit_reached',
          limit: 3,
          limit_name: 'max-total-connections',
          actual: 4,
          client_ip: '127.0.0.4',
          trace_id: problem['correlation_id'],
        },
      },
    ]);
    expect(await gateway.metrics()).toMatch(
      /^gateway_connection_limit_reached_total\{[^}]*limit="max-total-connections"[^}]*\} 1$/m,
    );
  });

  it('frees a slot with every closed connection', async ({ cleanUp }) => {
    const { gateway, address } = await started(cleanUp, { maxTotalConnections: 1 });
    const { socket } = await ask(cleanUp, address);
    expect(await statuses(cleanUp, address, '127.0.0.1')).toEqual([503]);
    socket.destroy();
    await expect.poll(() => gateway.state.openConnections()).toBe(0);
    expect(await statuses(cleanUp, address, '127.0.0.1', '127.0.0.1')).toEqual([200, 503]);
  });

  it('counts all listeners together', async ({ cleanUp }) => {
    const listeners = ['one', 'two'].map((name) => ({ ...testListener, name }));
    const { gateway } = await started(cleanUp, { maxTotalConnections: 2 }, { listeners: [testListener, ...listeners] });
    const addresses = [...gateway.gateway.addresses().listeners.values()];
    const all: number[] = [];
    for (const address of addresses) all.push((await ask(cleanUp, address)).status);
    expect(all).toEqual([200, 200, 503]);
  });

  it('does not apply to the admin address', async ({ cleanUp }) => {
    const { gateway, address } = await started(cleanUp, { maxTotalConnections: 1 });
    const admin = gateway.gateway.addresses().admin as SocketAddress;
    expect(await statuses(cleanUp, address, '127.0.0.1', '127.0.0.1')).toEqual([200, 503]);
    expect((await ask(cleanUp, admin, '127.0.0.1', '/health')).status).toBe(200);
  });
});

const testListener = (testConfiguration([]).listeners as [GatewayConfiguration['listeners'][number]])[0];

describe('max-connections-per-client', () => {
  it('admits connections up to it per address, and refuses one above', async ({ cleanUp }) => {
    const { gateway, address } = await started(cleanUp, { maxConnectionsPerClient: 2 });
    expect(await statuses(cleanUp, address, '127.0.0.1', '127.0.0.1', '127.0.0.1')).toEqual([200, 200, 503]);
    expect(await statuses(cleanUp, address, '127.0.0.2', '127.0.0.2', '127.0.0.2')).toEqual([200, 200, 503]);
    expect(await gateway.metrics()).toMatch(
      /^gateway_connection_limit_reached_total\{[^}]*limit="max-connections-per-client"[^}]*\} 2$/m,
    );
  });

  it('does not apply to connections of a trusted proxy', async ({ cleanUp }) => {
    const listeners = [{ ...testListener, trustedProxies: ['127.0.0.2/32'] }];
    const { address } = await started(cleanUp, { maxConnectionsPerClient: 1 }, { listeners });
    expect(await statuses(cleanUp, address, '127.0.0.2', '127.0.0.2', '127.0.0.2')).toEqual([200, 200, 200]);
    expect(await statuses(cleanUp, address, '127.0.0.1', '127.0.0.1')).toEqual([200, 503]);
  });

  it('uses the reloaded value for the next connection, and counts open ones', async ({ cleanUp }) => {
    const { gateway, configuration, address } = await started(cleanUp, { maxConnectionsPerClient: 1 });
    expect(await statuses(cleanUp, address, '127.0.0.1', '127.0.0.1')).toEqual([200, 503]);
    const limits = { ...plainLimits, maxConnectionsPerClient: 2 };
    expect((await gateway.reload({ ...configuration, limits })).ok).toBe(true);
    expect(await statuses(cleanUp, address, '127.0.0.1', '127.0.0.1')).toEqual([200, 503]);
  });
});

it('hundreds of short connections leave every limit unchanged', async ({ cleanUp }) => {
  const { gateway, address } = await started(cleanUp, { maxTotalConnections: 50, maxConnectionsPerClient: 50 });
  for (let round = 0; round < 3; round += 1) {
    const all = await Promise.allSettled(Array.from({ length: 100 }, () => ask(cleanUp, address)));
    const answered = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(answered.filter(({ status }) => status === 200)).toHaveLength(50);
    for (const { socket } of answered) socket.destroy();
    await expect.poll(() => gateway.state.openConnections()).toBe(0);
  }
  const lines = gateway.logger.lines.filter(({ level }) => level === 'warn');
  expect(lines.length).toBeLessThan(50);
});
