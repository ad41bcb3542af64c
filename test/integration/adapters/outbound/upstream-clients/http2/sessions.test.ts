import type { ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { IdleConnections } from '../../../../../../src/application/gateway/choose-upstream/endpoint-set.js';
import { startHttp2Upstream } from '../../../../../support/gateway/http2-upstream.js';
import {
  frame,
  frameFlags,
  frameTypes,
  headers,
  settings,
  startRawHttp2Upstream,
} from '../../../../../support/gateway/raw-http2-upstream.js';
import { bodyOctets } from '../../../../../support/gateway/scripted-body.js';
import { plainUpstreamRequest, targetClient } from '../../../../../support/gateway/target-clients.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { freePort } from '../../../../../support/shared/free-port.js';

const http2 = { httpVersion: '2' } as const;
const get = { ...plainUpstreamRequest, method: 'GET' };
const maxConcurrentStreams = 3;

/** An upstream that holds what comes until it is let go. */
const startHolding = async (cleanUp: CleanUp, streams: number) => {
  const held: ServerHttp2Stream[] = [];
  const upstream = await startHttp2Upstream(cleanUp, (stream) => void held.push(stream), {
    settings: { maxConcurrentStreams: streams },
  });
  const release = (): void => {
    for (const stream of held.splice(0)) if (!stream.destroyed) stream.respond({ ':status': 204 }, { endStream: true });
  };
  return { ...upstream, held, release };
};

describe('the sessions with a target', () => {
  it('are one until its streams are used, then more, up to the connection limit', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp, 2);
    const client = targetClient(upstream.port, cleanUp, { ...http2, maxConnections: 2 });
    const first = [client.send(get), client.send(get)];
    await eventually(() => upstream.held.length === 2);
    expect(upstream.sessions).toHaveLength(1);
    const second = [client.send(get), client.send(get)];
    await eventually(() => upstream.held.length === 4);
    expect(upstream.sessions).toHaveLength(2);
    expect(client.isFull).toBe(true);
    const third = client.send(get);
    expect(client.figures()).toEqual({ activeConnections: 2, idleConnections: 0, waitingRequests: 1 });
    upstream.release();
    await eventually(() => upstream.held.length === 1);
    upstream.release();
    for (const sent of [...first, ...second, third]) expect(await sent.response).toMatchObject({ ok: true });
    expect(upstream.sessions).toHaveLength(2);
    await eventually(() => client.figures().idleConnections === 2);
    expect(client.isFull).toBe(false);
  });

  it('use at most 100 streams, even if their peer allows more', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp, 1_000);
    const client = targetClient(upstream.port, cleanUp, http2);
    const sent = Array.from({ length: 150 }, () => client.send(get));
    await eventually(() => upstream.held.length === 150);
    expect(upstream.sessions).toHaveLength(2);
    upstream.release();
    for (const { response } of sent) expect(await response).toMatchObject({ ok: true });
  });

  it('with one stream each serve as many concurrent requests as connections are allowed', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp, 1);
    const client = targetClient(upstream.port, cleanUp, { ...http2, maxConnections: 3 });
    const sent = Array.from({ length: 10 }, () => client.send(get));
    let served = 0;
    while (served < 10) {
      await eventually(() => upstream.held.length > 0);
      served += upstream.held.length;
      upstream.release();
    }
    for (const { response } of sent) expect(await response).toMatchObject({ ok: true });
    expect(upstream.sessions).toHaveLength(3);
  });

  it('do not multiply if their peer allows no stream, and serve once it does', async ({ cleanUp }) => {
    const upstream = await startRawHttp2Upstream(
      cleanUp,
      ({ type, stream }, peer) => {
        if (type === frameTypes.headers) peer.write(headers(stream, [[':status', '204']], 5));
      },
      (peer) => peer.write(settings([maxConcurrentStreams, 0])),
    );
    const client = targetClient(upstream.port, cleanUp, http2);
    const sent = [client.send(get), client.send(get), client.send(get)];
    await eventually(() => client.figures().waitingRequests === 3);
    expect(client.isFull).toBe(true);
    const late = client.send({ ...get, timeoutMs: 30, configuredTimeoutMs: 30 });
    expect(await late.response).toMatchObject({ error: { code: 'overloaded', neverSent: true } });
    expect(upstream.peers).toHaveLength(1);
    upstream.peers[0]?.write(settings([maxConcurrentStreams, 2]));
    for (const { response } of sent) expect(await response).toMatchObject({ ok: true });
    expect(client.isFull).toBe(false);
  });

  it('are kept idle up to the limits of target and upstream', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp, 1);
    const idle = new IdleConnections(3);
    const [one, other] = [1, 2].map(() => targetClient(upstream.port, cleanUp, { ...http2, maxIdle: 2, idle }));
    if (one === undefined || other === undefined) throw new Error('there are two');
    const sent = [one, one, one, other, other].map((client) => client.send(get));
    await eventually(() => upstream.held.length === 5);
    upstream.release();
    for (const { response } of sent) expect(await response).toMatchObject({ ok: true });
    const kept = () => [one.figures().idleConnections, other.figures().idleConnections];
    await eventually(() => upstream.sessions.filter(({ destroyed }) => !destroyed).length === 3);
    expect(kept().reduce((sum, count) => sum + count)).toBe(3);
  });

  it('are not recreated under a load above the idle limit', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp, 1);
    const client = targetClient(upstream.port, cleanUp, { ...http2, maxIdle: 2 });
    for (let turn = 0; turn < 10; turn += 1) {
      const sent = Array.from({ length: 6 }, () => client.send(get));
      await eventually(() => upstream.held.length === 6);
      upstream.release();
      for (const { response } of sent) expect(await response).toMatchObject({ ok: true });
    }
    expect(upstream.sessions).toHaveLength(6);
    await eventually(() => upstream.sessions.filter(({ destroyed }) => !destroyed).length === 2);
    expect(client.figures()).toEqual({ activeConnections: 0, idleConnections: 2, waitingRequests: 0 });
  });

  it('end one by one if none may be kept', async ({ cleanUp }) => {
    const upstream = await startHttp2Upstream(cleanUp, (stream) =>
      stream.respond({ ':status': 204 }, { endStream: true }),
    );
    const client = targetClient(upstream.port, cleanUp, { ...http2, maxIdle: 0 });
    for (const made of [1, 2]) {
      await client.send(get).response;
      await eventually(
        () => upstream.sessions.length === made && upstream.sessions.every(({ destroyed }) => destroyed),
      );
    }
    expect(client.figures()).toEqual({ activeConnections: 0, idleConnections: 0, waitingRequests: 0 });
  });

  it('leave the idle count when used, lost or closed', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp, 10);
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
    const client = targetClient(upstream.port, cleanUp, { ...http2, idle });
    const rest = async (): Promise<void> => {
      const sent = client.send(get);
      await eventually(() => upstream.held.length === 1);
      expect(taken).toBe(0);
      upstream.release();
      await sent.response;
      await eventually(() => taken === 1);
    };
    await rest();
    setImmediate(() => upstream.sessions[0]?.destroy());
    await eventually(() => taken === 0);
    await rest();
    await client.close(0);
    expect(taken).toBe(0);
  });

  it('close after their requests in flight, or after the grace period', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp, 1);
    const client = targetClient(upstream.port, cleanUp, { ...http2, maxConnections: 1 });
    const [first, second] = [client.send(get), client.send(get)];
    await eventually(() => upstream.held.length === 1 && client.figures().waitingRequests === 1);
    const closing = client.close(5_000);
    expect(await client.send(get).response).toMatchObject({ error: { code: 'overloaded', neverSent: true } });
    upstream.release();
    expect(await first.response).toMatchObject({ ok: true });
    await eventually(() => upstream.held.length === 1);
    upstream.release();
    expect(await second.response).toMatchObject({ ok: true });
    await closing;
    const other = targetClient(upstream.port, cleanUp, { ...http2, maxConnections: 1 });
    const [hanging, waiting] = [other.send(get), other.send(get)];
    await eventually(() => upstream.held.length === 1 && other.figures().waitingRequests === 1);
    await other.close(10);
    expect(await hanging.response).toMatchObject({ error: { code: 'unreachable' } });
    expect(await waiting.response).toMatchObject({ error: { code: 'cancelled', neverSent: true } });
    await eventually(() => upstream.sessions.every(({ destroyed }) => destroyed));
  });

  it('are not kept for requests cancelled while connecting', async ({ cleanUp }) => {
    const upstream = await startHttp2Upstream(cleanUp, (stream) =>
      stream.respond({ ':status': 204 }, { endStream: true }),
    );
    const client = targetClient(upstream.port, cleanUp, http2);
    for (let round = 0; round < 20; round += 1) {
      const sent = Array.from({ length: 64 }, () => client.send(get));
      await new Promise((resolve) => setTimeout(resolve, round % 4));
      for (const exchange of sent) exchange.cancel();
    }
    await eventually(() => client.figures().activeConnections === 0);
    const open = () => upstream.sessions.filter(({ destroyed }) => !destroyed).length;
    await expect.poll(() => open() - client.figures().idleConnections).toBe(0);
  });
});

describe('a request without a session', () => {
  const listen = async (cleanUp: CleanUp, onSocket: (socket: Socket) => void): Promise<number> => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      onSocket(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  };

  it('because nothing listens was never sent', async ({ cleanUp }) => {
    const client = targetClient(await freePort(), cleanUp, http2);
    expect(await client.send(get).response).toMatchObject({ error: { code: 'unreachable', neverSent: true } });
  });

  it('because the target is silent fails at the connect timeout', async ({ cleanUp }) => {
    const port = await listen(cleanUp, () => undefined);
    const client = targetClient(port, cleanUp, { ...http2, connectMs: 30 });
    const detail = `no HTTP/2 settings from 127.0.0.1:${port} within 30 ms`;
    const outcome = await client.send(get).response;
    expect(outcome).toMatchObject({ error: { code: 'timed_out', neverSent: true, detail } });
  });

  it('because the target speaks HTTP/1.1 fails with that reason', async ({ cleanUp }) => {
    const port = await listen(cleanUp, (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const outcome = await targetClient(port, cleanUp, http2).send(get).response;
    expect(outcome).toMatchObject({ error: { code: 'invalid_response', neverSent: true } });
  });

  it.for(['closes', 'resets'])('because the target %s was never sent', async (how, { cleanUp }) => {
    const port = await listen(cleanUp, (socket) => void (how === 'closes' ? socket.end() : socket.resetAndDestroy()));
    const outcome = await targetClient(port, cleanUp, http2).send(get).response;
    expect(outcome).toMatchObject({ error: { code: 'unreachable', neverSent: true } });
  });

  it('because it times out while it waits was never sent', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp, 1);
    const client = targetClient(upstream.port, cleanUp, { ...http2, maxConnections: 1 });
    client.send(get);
    await eventually(() => upstream.held.length === 1);
    const late = await client.send({ ...get, timeoutMs: 20 }).response;
    const detail = 'no free connection within 20 ms';
    expect(late).toEqual({ ok: false, error: { code: 'overloaded', neverSent: true, detail } });
  });

  it('because the session is slow to open times out', async ({ cleanUp }) => {
    const port = await listen(cleanUp, () => undefined);
    const late = await targetClient(port, cleanUp, http2).send({ ...get, timeoutMs: 20, configuredTimeoutMs: 20 })
      .response;
    const detail = 'no connection within 20 ms';
    expect(late).toEqual({ ok: false, error: { code: 'timed_out', neverSent: true, detail } });
  });

  it('because 1000 already wait was never sent', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp, 1);
    const client = targetClient(upstream.port, cleanUp, { ...http2, maxConnections: 1 });
    client.send(get);
    await eventually(() => upstream.held.length === 1);
    const waiting = Array.from({ length: 1_000 }, () => client.send(get));
    expect(await client.send(get).response).toMatchObject({ error: { code: 'overloaded', neverSent: true } });
    for (const exchange of waiting) exchange.cancel();
    expect(client.figures().waitingRequests).toBe(0);
  });

  it('because its target is removed fails at once', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp, 1);
    const client = targetClient(upstream.port, cleanUp, { ...http2, maxConnections: 1 });
    const first = client.send(get);
    await eventually(() => upstream.held.length === 1);
    const waiting = client.send(get);
    client.evictQueued();
    const detail = 'the target was taken out';
    expect(await waiting.response).toEqual({
      ok: false,
      error: { code: 'overloaded', neverSent: true, wasEvicted: true, detail },
    });
    upstream.release();
    expect(await first.response).toMatchObject({ ok: true });
  });

  it('with too little time for a response is not sent', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp, 1);
    const client = targetClient(upstream.port, cleanUp, { ...http2, maxConnections: 1 });
    client.send(get);
    await eventually(() => upstream.held.length === 1);
    // Most of the patience is gone with other queues before.
    const second = client.send({ ...get, timeoutMs: 190, configuredTimeoutMs: 2_000 });
    upstream.release();
    const detail = 'no free connection in good time within 190 ms';
    expect(await second.response).toEqual({ ok: false, error: { code: 'overloaded', neverSent: true, detail } });
    expect(upstream.streams()).toBe(1);
    await eventually(() => client.figures().idleConnections === 1);
  });
});

describe('a silent session', () => {
  it('gets no new request while a PING is pending, and is closed without an answer', async ({ cleanUp }) => {
    const upstream = await startRawHttp2Upstream(cleanUp, ({ type, flags, stream, payload }, peer) => {
      if (peer.index === 0) return;
      if (type === frameTypes.headers) peer.write(headers(stream, [[':status', '204']], 5));
      if (type === frameTypes.ping && flags === 0) peer.write(frame(frameTypes.ping, frameFlags.ack, 0, payload));
    });
    const client = targetClient(upstream.port, cleanUp, { ...http2, readMs: 40 });
    expect(await client.send({ ...get, timeoutMs: 40, configuredTimeoutMs: 40 }).response).toMatchObject({
      error: { code: 'timed_out', detail: 'no answer within 40 ms' },
    });
    const [dead] = upstream.peers;
    await eventually(() => dead?.of(frameTypes.ping).length === 1);
    const next = await client.send(get).response;
    expect([next.ok, upstream.peers.length]).toEqual([true, 2]);
    await eventually(() => dead?.socket.closed === true);
  });

  it('for only one request stays in use', async ({ cleanUp }) => {
    const upstream = await startRawHttp2Upstream(cleanUp, ({ type, flags, stream, payload }, peer) => {
      if (type === frameTypes.headers && stream > 1) peer.write(headers(stream, [[':status', '204']], 5));
      if (type === frameTypes.ping && flags === 0) peer.write(frame(frameTypes.ping, frameFlags.ack, 0, payload));
    });
    const client = targetClient(upstream.port, cleanUp, { ...http2, readMs: 40 });
    const late = await client.send({ ...get, timeoutMs: 40, configuredTimeoutMs: 40 }).response;
    expect(late).toMatchObject({ error: { code: 'timed_out', neverSent: false } });
    await eventually(() => client.figures().idleConnections === 1);
    expect(await client.send(get).response).toMatchObject({ ok: true });
    expect(upstream.peers).toHaveLength(1);
  });
});

it('hundreds of concurrent requests arrive intact', async ({ cleanUp }) => {
  const upstream = await startHttp2Upstream(cleanUp, (stream, { ':path': path }) => {
    stream.respond({ ':status': 200 });
    stream.end(`${path}`.repeat(1_000));
  });
  const client = targetClient(upstream.port, cleanUp, http2);
  const texts = await Promise.all(
    Array.from({ length: 400 }, async (_, index) => {
      const outcome = await client.send({ ...get, target: `/${index}` }).response;
      if (!outcome.ok) throw new Error(outcome.error.detail);
      return (await bodyOctets(outcome.value.body)).toString();
    }),
  );
  expect(texts).toEqual(Array.from({ length: 400 }, (_, index) => `/${index}`.repeat(1_000)));
  expect(upstream.sessions.length).toBeLessThanOrEqual(4);
});
