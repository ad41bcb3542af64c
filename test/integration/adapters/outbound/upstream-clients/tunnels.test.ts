import type { Socket } from 'node:net';
import { describe, expect } from 'vitest';
import type { Tunnel } from '../../../../../src/application/ports/gateway/http-exchange.js';
import { startRawUpstream } from '../../../../support/gateway/raw-upstream.js';
import { plainUpstreamRequest, targetClient } from '../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';

describe('a client of an upstream', () => {
  const upgrade = { ...plainUpstreamRequest, method: 'GET', upgradeToWebSocket: true };
  const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

  /** An upstream that switches protocols whatever it is asked, with one connection to it. */
  const startSwitching = async (cleanUp: CleanUp, maxConnections = 1) => {
    const sockets: Socket[] = [];
    const upstream = await startRawUpstream((socket) => {
      sockets.push(socket);
      socket.write(switched);
    });
    cleanUp.add(() => upstream.close());
    return { upstream, sockets, client: targetClient(upstream.port, cleanUp, { maxConnections }) };
  };

  const opened = async (client: ReturnType<typeof targetClient>): Promise<Tunnel> => {
    const outcome = await client.send(upgrade).response;
    if (!outcome.ok || outcome.value.tunnel === null) throw new Error('no tunnel');
    return outcome.value.tunnel;
  };

  describe('a tunnel', () => {
    it('counts as a connection to its target until it closes', async ({ cleanUp }) => {
      const { client, upstream } = await startSwitching(cleanUp);
      const tunnel = await opened(client);
      expect([client.figures(), client.isFull]).toEqual([
        { activeConnections: 1, idleConnections: 0, waitingRequests: 0 },
        true,
      ]);
      const late = await client.send({ ...upgrade, timeoutMs: 20 }).response;
      expect(late).toMatchObject({ error: { code: 'overloaded', neverSent: true } });
      const second = opened(client);
      expect(client.figures().waitingRequests).toBe(1);
      tunnel.destroy();
      await second;
      expect([upstream.connections(), client.figures().activeConnections]).toEqual([2, 1]);
    });

    it('frees its place when its upstream ends it', async ({ cleanUp }) => {
      const { client, sockets } = await startSwitching(cleanUp);
      const tunnel = await opened(client);
      sockets[0]?.resetAndDestroy();
      await expect.poll(() => [tunnel.closed, client.isFull]).toEqual([true, false]);
      await opened(client);
    });

    it('is closed after the grace period of its target, not before', async ({ cleanUp }) => {
      const { client } = await startSwitching(cleanUp, 2);
      const [one, other] = [await opened(client), await opened(client)];
      let isClosed = false;
      const closed = client.close(50).then(() => {
        isClosed = true;
      });
      one.destroy();
      await expect.poll(() => one.closed).toBe(true);
      expect([isClosed, other.closed]).toEqual([false, false]);
      await closed;
      await expect.poll(() => other.closed).toBe(true);
      expect(client.figures().activeConnections).toBe(0);
    });

    it('still accepts octets when its upstream half-closes', async ({ cleanUp }) => {
      const { client, sockets } = await startSwitching(cleanUp);
      const tunnel = await opened(client);
      const taken = new Promise((resolve) => sockets[0]?.once('data', resolve));
      sockets[0]?.end('last');
      const read: string[] = [];
      for await (const octets of tunnel.iterator({ destroyOnReturn: false })) read.push(Buffer.from(octets).toString());
      expect([read, tunnel.closed]).toEqual([['last'], false]);
      tunnel.write(Buffer.from('goodbye'), () => undefined);
      expect(await taken).toBe('goodbye');
      tunnel.end();
      await expect.poll(() => [tunnel.closed, client.isFull]).toEqual([true, false]);
    });

    it('closes when its exchange is cancelled', async ({ cleanUp }) => {
      const { client } = await startSwitching(cleanUp);
      const exchange = client.send(upgrade);
      await exchange.response;
      exchange.cancel();
      await expect.poll(() => client.isFull).toBe(false);
    });
  });
});
