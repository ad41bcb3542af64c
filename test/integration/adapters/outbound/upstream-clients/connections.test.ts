import type { Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { IdleConnections } from '../../../../../src/application/gateway/choose-upstream/endpoint-set.js';
import { startHttpUpstream } from '../../../../support/gateway/http-upstream.js';
import { startRawUpstream } from '../../../../support/gateway/raw-upstream.js';
import { ScriptedBody } from '../../../../support/gateway/scripted-body.js';
import { plainUpstreamRequest, targetClient } from '../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { freePort } from '../../../../support/shared/free-port.js';

describe('a client of an upstream', () => {
  it('cancelled requests leave no connection outside the pool', async ({ cleanUp }) => {
    const upstream = await startHttpUpstream((_, response) => setTimeout(() => response.end('ok'), 1));
    cleanUp.add(() => upstream.close());
    upstream.server.keepAliveTimeout = 60_000;
    let open = 0;
    upstream.server.on('connection', (socket) => {
      open += 1;
      socket.once('close', () => {
        open -= 1;
      });
    });
    const client = targetClient(upstream.port, cleanUp);
    const send = () => client.send({ ...plainUpstreamRequest, method: 'GET' });
    for (let round = 0; round < 60; round += 1) {
      const sent = Array.from({ length: 64 }, send);
      await new Promise((resolve) => setTimeout(resolve, round % 5));
      for (const exchange of sent) exchange.cancel();
    }
    await expect.poll(() => open - client.figures().idleConnections).toBe(0);
  });

  describe('a request that fails', () => {
    const post = { ...plainUpstreamRequest, body: new ScriptedBody(['one', 'two']) };
    const failureOf = async (client: ReturnType<typeof targetClient>, request = post) => {
      const outcome = await client.send(request).response;
      if (outcome.ok) throw new Error('it has not failed');
      return outcome.error;
    };

    it('because nothing listens was never sent', async ({ cleanUp }) => {
      const client = targetClient(await freePort(), cleanUp);
      expect(await failureOf(client)).toMatchObject({ code: 'unreachable', neverSent: true });
    });

    it('because the connection times out was never sent', async ({ cleanUp }) => {
      // An address of a network for documentation: nobody answers, or the system says that there is no way.
      const address = { host: '192.0.2.1', port: 9 };
      const client = targetClient(1, cleanUp, { address, connectMs: 50 });
      expect(await failureOf(client)).toMatchObject({ neverSent: true });
    });

    it('because it times out while it waits for a connection was never sent', async ({ cleanUp }) => {
      const upstream = await startRawUpstream(() => undefined);
      cleanUp.add(() => upstream.close());
      const client = targetClient(upstream.port, cleanUp, { maxConnections: 1 });
      void client.send(plainUpstreamRequest);
      const late = await failureOf(client, { ...plainUpstreamRequest, timeoutMs: 20 } as typeof post);
      expect(late).toEqual({ code: 'overloaded', neverSent: true, detail: 'no free connection within 20 ms' });
    });

    it('because its target is removed while it waits fails at once', async ({ cleanUp }) => {
      const upstream = await startRawUpstream(() => undefined);
      cleanUp.add(() => upstream.close());
      const client = targetClient(upstream.port, cleanUp, { maxConnections: 1 });
      expect(client.isFull).toBe(false);
      const first = client.send(plainUpstreamRequest);
      expect(client.isFull).toBe(true);
      const waiting = [failureOf(client), failureOf(client, plainUpstreamRequest as typeof post)];
      await expect.poll(() => client.figures().waitingRequests).toBe(2);
      client.evictQueued();
      const evicted = {
        code: 'overloaded',
        neverSent: true,
        wasEvicted: true,
        detail: 'the target was taken out',
      };
      expect(await Promise.all(waiting)).toEqual([evicted, evicted]);
      await expect.poll(() => client.figures()).toMatchObject({ activeConnections: 1, waitingRequests: 0 });
      first.cancel();
      await expect.poll(() => client.isFull).toBe(false);
    });

    const misdeeds: readonly (readonly [string, string, (socket: Socket) => void])[] = [
      ['closes', 'unreachable', (socket) => void socket.end()],
      ['resets', 'unreachable', (socket) => void socket.resetAndDestroy()],
      ['talks nonsense', 'invalid_response', (socket) => void socket.write('nonsense\r\n\r\n')],
    ];

    it.for(misdeeds)(
      'because the upstream %s after the head may have been sent',
      async ([_, code, answer], { cleanUp }) => {
        const upstream = await startRawUpstream(answer);
        cleanUp.add(() => upstream.close());
        const client = targetClient(upstream.port, cleanUp);
        expect(await failureOf(client)).toMatchObject({ code, neverSent: false });
      },
    );

    it('because it gets no response may have been sent', async ({ cleanUp }) => {
      const upstream = await startRawUpstream(() => undefined);
      cleanUp.add(() => upstream.close());
      const client = targetClient(upstream.port, cleanUp);
      const late = await failureOf(client, {
        ...plainUpstreamRequest,
        timeoutMs: 20,
        configuredTimeoutMs: 20,
      } as typeof post);
      expect(late).toEqual({ code: 'timed_out', neverSent: false, detail: 'no answer within 20 ms' });
    });

    it('because earlier attempts left too little time is not a target failure', async ({ cleanUp }) => {
      const upstream = await startRawUpstream(() => undefined);
      cleanUp.add(() => upstream.close());
      const client = targetClient(upstream.port, cleanUp);
      const late = await failureOf(client, {
        ...plainUpstreamRequest,
        timeoutMs: 40,
        configuredTimeoutMs: 100,
      } as typeof post);
      expect(late).toEqual({ code: 'overloaded', neverSent: false, detail: 'no answer in what was left of 100 ms' });
      const fair = await failureOf(client, {
        ...plainUpstreamRequest,
        timeoutMs: 60,
        configuredTimeoutMs: 100,
      } as typeof post);
      expect(fair).toEqual({ code: 'timed_out', neverSent: false, detail: 'no answer within 60 ms' });
    });

    it('because its body arrives after its target is removed was never sent', async ({ cleanUp }) => {
      const upstream = await startRawUpstream(() => undefined);
      cleanUp.add(() => upstream.close());
      const client = targetClient(upstream.port, cleanUp);
      let come: (piece: Uint8Array) => void = () => undefined;
      const body = Object.assign(new ScriptedBody([]), {
        read: () =>
          new Promise<Uint8Array>((resolve) => {
            come = resolve;
          }),
      });
      const failure = failureOf(client, { ...post, body } as unknown as typeof post);
      client.evictQueued();
      come(Buffer.from('one'));
      expect(await failure).toMatchObject({ code: 'overloaded', neverSent: true, wasEvicted: true });
      expect([upstream.connections(), client.isFull]).toEqual([0, false]);
    });

    it('because 1000 already wait was never sent', async ({ cleanUp }) => {
      const upstream = await startRawUpstream(() => undefined);
      cleanUp.add(() => upstream.close());
      const client = targetClient(upstream.port, cleanUp, { maxConnections: 1 });
      const waiting = Array.from({ length: 1_001 }, () => client.send(plainUpstreamRequest));
      expect(client.figures().waitingRequests).toBe(1_000);
      expect(await client.send(plainUpstreamRequest).response).toMatchObject({
        ok: false,
        error: { code: 'overloaded', neverSent: true },
      });
      for (const exchange of waiting) exchange.cancel();
      expect(client.figures().waitingRequests).toBe(0);
    });
  });

  describe('a request that gets the connection of another request', () => {
    /** The first holds the only connection until the second has waited so long that `leftMs` are left to it. */
    const secondAfter = async (cleanUp: CleanUp, leftMs: number) => {
      const held: Socket[] = [];
      const upstream = await startRawUpstream((socket) => void held.push(socket));
      cleanUp.add(() => upstream.close());
      const client = targetClient(upstream.port, cleanUp, { maxConnections: 1 });
      const first = client.send(plainUpstreamRequest);
      await expect.poll(() => held.length).toBe(1);
      // Most of the patience is gone with other queues before.
      const second = client.send({ ...plainUpstreamRequest, timeoutMs: leftMs, configuredTimeoutMs: 2_000 });
      held[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      await first.response;
      return { outcome: await second.response, upstream, client };
    };

    it('with too little time left is not sent, and the connection serves the next', async ({ cleanUp }) => {
      const { outcome, upstream, client } = await secondAfter(cleanUp, 190);
      const detail = 'no free connection in good time within 190 ms';
      expect(outcome).toEqual({ ok: false, error: { code: 'overloaded', neverSent: true, detail } });
      expect(upstream.heads).toHaveLength(1);
      await expect.poll(() => client.figures()).toMatchObject({ activeConnections: 0, idleConnections: 1 });
    });

    it('with less than half of its time left does not blame a late target', async ({ cleanUp }) => {
      const { outcome, upstream } = await secondAfter(cleanUp, 400);
      expect(outcome).toMatchObject({ error: { code: 'overloaded', neverSent: false } });
      expect(upstream.heads).toHaveLength(2);
    });

    it('blames a late target that had half of the time', async ({ cleanUp }) => {
      const { outcome } = await secondAfter(cleanUp, 1_200);
      expect(outcome).toMatchObject({ error: { code: 'timed_out', neverSent: false } });
    });
  });

  describe('a safe request on a kept connection that closes', () => {
    const get = { ...plainUpstreamRequest, method: 'GET' };
    const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

    it.for([
      [true, 1, 3],
      [false, 1, 2],
    ] as const)('is sent once more if allowed (%s)', async ([takeRetry, asked, heads], { cleanUp }) => {
      const upstream = await startRawUpstream((socket, _, turn) => {
        if (turn === 0) socket.write(ok);
        else socket.destroy();
      });
      cleanUp.add(() => upstream.close());
      const client = targetClient(upstream.port, cleanUp);
      let times = 0;
      const ask = (): boolean => {
        times += 1;
        return takeRetry;
      };
      await client.send({ ...get, takeRetry: ask }).response;
      await expect.poll(() => client.figures().idleConnections).toBe(1);
      expect(times).toBe(0);
      expect(await client.send({ ...get, takeRetry: ask }).response).toMatchObject({
        error: { code: 'unreachable' },
      });
      expect([times, upstream.heads.length]).toEqual([asked, heads]);
    });
  });

  describe('idle connections', () => {
    /** An upstream that answers once all of so many requests have come. */
    const startTogether = async (cleanUp: CleanUp, count: number) => {
      const held: Socket[] = [];
      const upstream = await startRawUpstream((socket) => {
        held.push(socket);
        if (held.length < count) return;
        for (const each of held.splice(0)) each.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
      cleanUp.add(() => upstream.close());
      return upstream;
    };

    const sendTogether = (...clients: ReturnType<typeof targetClient>[]) =>
      Promise.all(clients.map((client) => client.send(plainUpstreamRequest).response));

    it('are kept up to the limit of their target, and reused', async ({ cleanUp }) => {
      const upstream = await startTogether(cleanUp, 3);
      const client = targetClient(upstream.port, cleanUp, { maxIdle: 2 });
      for (const made of [3, 4]) {
        await sendTogether(client, client, client);
        await expect.poll(() => client.figures()).toMatchObject({ activeConnections: 0, idleConnections: 2 });
        expect(upstream.connections()).toBe(made);
      }
    });

    it('are not recreated under a load above the idle limit', async ({ cleanUp }) => {
      const upstream = await startTogether(cleanUp, 6);
      const client = targetClient(upstream.port, cleanUp, { maxIdle: 2 });
      for (let turn = 0; turn < 20; turn += 1) await sendTogether(client, client, client, client, client, client);
      expect(upstream.connections()).toBe(6);
      await expect.poll(() => client.figures().idleConnections).toBe(2);
    });

    it.for([
      ['timeout=1', 1],
      ['timeout=2', 1],
      ['timeout=0', 10],
    ] as const)('are reused for %s: ten requests on %i', async ([said, made], { cleanUp }) => {
      const upstream = await startRawUpstream((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nKeep-Alive: ${said}\r\nContent-Length: 0\r\n\r\n`);
      });
      cleanUp.add(() => upstream.close());
      const client = targetClient(upstream.port, cleanUp);
      for (let turn = 0; turn < 10; turn += 1) await sendTogether(client);
      expect(upstream.connections()).toBe(made);
    });

    it('are closed if none may be kept', async ({ cleanUp }) => {
      const upstream = await startTogether(cleanUp, 1);
      const client = targetClient(upstream.port, cleanUp, { maxIdle: 0 });
      await sendTogether(client);
      await sendTogether(client);
      expect([upstream.connections(), client.figures().idleConnections]).toEqual([2, 0]);
    });

    it('are kept up to the limit of their upstream over all targets', async ({ cleanUp }) => {
      const upstream = await startTogether(cleanUp, 4);
      const idle = new IdleConnections(3);
      const [one, other] = [
        targetClient(upstream.port, cleanUp, { idle }),
        targetClient(upstream.port, cleanUp, { idle }),
      ];
      await sendTogether(one, one, other, other);
      await expect.poll(() => one.figures().idleConnections + other.figures().idleConnections).toBe(3);
    });

    it('are not counted once used, lost or closed', async ({ cleanUp }) => {
      const sockets: Socket[] = [];
      const upstream = await startRawUpstream((socket) => {
        sockets.push(socket);
        if (sockets.length < 3) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
      cleanUp.add(() => upstream.close());
      let taken = 0;
      const idle = {
        isNone: false,
        take: () => {
          taken += 1;
          return true;
        },
        giveBack: () => {
          taken -= 1;
        },
      };
      const client = targetClient(upstream.port, cleanUp, { idle });
      await sendTogether(client);
      await expect.poll(() => taken).toBe(1);
      sockets[0]?.destroy();
      await expect.poll(() => taken).toBe(0);
      await sendTogether(client);
      await expect.poll(() => taken).toBe(1);
      const hanging = client.send(plainUpstreamRequest);
      expect(taken).toBe(0);
      hanging.cancel();
      await client.close(0);
      expect(taken).toBe(0);
    });
  });

  it('a request aborted by the close of its client is not a target failure', async ({ cleanUp }) => {
    const upstream = await startRawUpstream((socket) => socket.write('HTTP/1.1 2'));
    cleanUp.add(() => upstream.close());
    const client = targetClient(upstream.port, cleanUp, { maxConnections: 1 });
    const [sent, waiting] = [client.send(plainUpstreamRequest), client.send(plainUpstreamRequest)];
    await expect.poll(() => upstream.heads.length).toBe(1);
    await client.close(5);
    expect(await sent.response).toMatchObject({ error: { code: 'cancelled', neverSent: false } });
    expect(await waiting.response).toMatchObject({ error: { code: 'cancelled', neverSent: true } });
  });

  it('a request without a Host gets the configured name of its target', async ({ cleanUp }) => {
    const upstream = await startRawUpstream((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    cleanUp.add(() => upstream.close());
    const client = targetClient(upstream.port, cleanUp, { authority: 'api.internal:8080' });
    await client.send({ ...plainUpstreamRequest, headers: [] }).response;
    expect(upstream.heads[0]?.toLowerCase()).toContain('host: api.internal:8080');
  });
});
