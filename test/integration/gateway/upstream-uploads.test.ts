import type { Socket } from 'node:net';
import { describe, expect } from 'vitest';
import type { BodySource } from '../../../src/application/ports/gateway/body-source.js';
import { echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { startInProcess, testConfiguration, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { startRawUpstream } from '../../support/gateway/raw-upstream.js';
import { plainUpstreamRequest as plain, targetClient } from '../../support/gateway/target-clients.js';
import { it } from '../../support/shared/fixtures.js';

/** A body of unknown length whose pieces are made one at a time. */
const bodyOf = (read: (turn: number) => Promise<Uint8Array | null>): BodySource => {
  let turn = -1;
  return {
    declaredLength: null,
    read: () => {
      turn += 1;
      return read(turn);
    },
    trailers: () => [],
    cancel: () => undefined,
  };
};

const textOf = async (body: BodySource | null): Promise<string> => {
  let text = '';
  for (let piece = await body?.read(); piece; piece = await body?.read()) text += Buffer.from(piece).toString();
  return text;
};

describe('an upstream that answers before the end of the request', () => {
  const early = 'HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig';

  it.for([
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
    ['closes', (socket: Socket) => socket.destroy()],
  ] as const)(
    'and %s has its response forwarded, even if the rest cannot be written',
    async ([_, end], { cleanUp }) => {
      let ended: () => void = () => undefined;
      const isOver = new Promise<void>((resolve) => {
        ended = resolve;
      });
      const upstream = await startRawUpstream((socket) => {
        socket.write(early, () => {
          end(socket);
          ended();
        });
      });
      cleanUp.add(() => upstream.close());
      const body = bodyOf(async (turn) => {
        if (turn > 0) await isOver;
        return turn < 1_000 ? Buffer.alloc(1_000, 'x') : null;
      });
      const response = await targetClient(upstream.port, cleanUp).send({ ...plain, body }).response;
      if (!response.ok) throw new Error(response.error.detail);
      expect(response.value.status).toBe(413);
      expect(await textOf(response.value.body)).toBe('big');
    },
  );

  it('may read the rest for longer than the head timeout', async ({ cleanUp }) => {
    const timeoutMs = 100;
    const upstream = await startHttpUpstream((request, response) => {
      response.write('a');
      request.resume().on('end', () => setTimeout(() => response.end('b'), timeoutMs * 3));
    });
    cleanUp.add(() => upstream.close());
    const timeouts = { connectMs: 1_000, readMs: 5_000, requestMs: timeoutMs };
    const gateway = await startInProcess(testConfiguration([testUpstream(upstream.port, { timeouts })]));
    cleanUp.add(() => gateway.stop());
    let finish: () => void = () => undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(Buffer.from('first'));
        finish = () => controller.close();
      },
    });
    const response = await fetch(gateway.url, { method: 'POST', body, duplex: 'half' } as RequestInit);
    finish();
    expect(await response.text()).toBe('ab');
  });
});

describe('a request that cannot be sent unchanged', () => {
  it.for([
    ['its target', { target: '*' }],
    ['a header', { headers: ['Host', 'a', 'X-A', 'b\nX-Evil: 1'] }],
    ['two Hosts', { headers: ['Host', 'a', 'Host', 'b'] }],
  ] as const)('for %s is refused, and its connection stays usable', async ([_, changes], { cleanUp }) => {
    const upstream = await startHttpUpstream(echo);
    cleanUp.add(() => upstream.close());
    const client = targetClient(upstream.port, cleanUp, { maxConnections: 1 });
    const refused = await client.send({ ...plain, ...changes }).response;
    expect(refused).toMatchObject({ ok: false, error: { code: 'refused_request' } });
    const next = await client.send(plain).response;
    expect(next).toMatchObject({ ok: true, value: { status: 200 } });
  });
});

describe('a request that is cancelled while connecting', () => {
  it('is never sent, and its connection stays usable', async ({ cleanUp }) => {
    const upstream = await startRawUpstream((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    cleanUp.add(() => upstream.close());
    const client = targetClient(upstream.port, cleanUp, { maxConnections: 1 });
    const givenUp = client.send(plain);
    const next = client.send({ ...plain, target: '/next' });
    givenUp.cancel();
    expect(await givenUp.response).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(await next.response).toMatchObject({ ok: true });
    expect(upstream.heads.map((head) => head.split(' ')[1])).toEqual(['/next']);
    expect(upstream.connections()).toBe(1);
  });
});

describe('closing', () => {
  it('finishes requests within the grace period, queued ones included, and aborts the rest', async ({ cleanUp }) => {
    const held: Socket[] = [];
    const upstream = await startRawUpstream((socket) => held.push(socket));
    cleanUp.add(() => upstream.close());
    const client = targetClient(upstream.port, cleanUp, { maxConnections: 1 });
    const finishing = client.send(plain).response;
    const cut = client.send(plain).response;
    const dropped = client.send(plain).response;
    await expect.poll(() => held.length).toBe(1);
    const closed = client.close(200);
    held[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    expect(await finishing).toMatchObject({ ok: true });
    expect([(await cut).ok, (await dropped).ok]).toEqual([false, false]);
    await closed;
  });
});
