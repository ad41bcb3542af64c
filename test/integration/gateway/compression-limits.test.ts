import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { createGunzip } from 'node:zlib';
import { describe, expect } from 'vitest';
import { decodedBody, startCompressing } from '../../support/gateway/compressing-gateway.js';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { http2Session } from '../../support/gateway/http2-session.js';
import type { InProcessGateway } from '../../support/gateway/in-process-gateway.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { call } from '../../support/shared/http-call.js';

const maxBodies = 64;
const part = Buffer.alloc(40_000, 'a part of a body, ');

/** An upstream that sends the beginning of each response, and its end when the test says so. */
const startHolding = async (cleanUp: CleanUp) => {
  const held: ServerResponse[] = [];
  const upstream = await startHttpUpstream((_, response) => {
    response.setHeader('Content-Type', 'text/plain');
    response.write(part);
    held.push(response);
  });
  cleanUp.add(() => upstream.close());
  return {
    port: upstream.port,
    held,
    release: () => {
      for (const response of held.splice(0)) response.end(part);
    },
  };
};

const ask = async (
  cleanUp: CleanUp,
  gateway: InProcessGateway,
): Promise<{ readonly sent: ClientRequest; readonly response: IncomingMessage }> => {
  const { host, port } = gateway.address;
  const sent = request({ host, port, agent: false, headers: { 'Accept-Encoding': 'gzip' } });
  cleanUp.add(async () => void sent.destroy());
  sent.on('error', () => undefined);
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { sent, response };
};

const bodyOf = async (response: IncomingMessage): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
};

const skipped = async (gateway: InProcessGateway): Promise<number> =>
  Number(/^gateway_compressions_skipped_total\S* (\d+)$/m.exec(await gateway.metrics())?.[1]);

/** Asks, with new requests that end at once, until one is compressed. */
const untilCompressed = (cleanUp: CleanUp, gateway: InProcessGateway) =>
  expect
    .poll(async () => {
      const { sent, response } = await ask(cleanUp, gateway);
      sent.destroy();
      return response.headers['content-encoding'];
    })
    .toBe('gzip');

describe('more responses than a worker compresses', () => {
  it('are sent uncompressed and counted; all arrive whole', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp);
    const gateway = await startCompressing(cleanUp, upstream.port);
    const answers = await Promise.all(Array.from({ length: maxBodies + 6 }, () => ask(cleanUp, gateway)));
    const codings = answers.map(({ response }) => response.headers['content-encoding']);
    expect(codings.filter((coding) => coding === 'gzip')).toHaveLength(maxBodies);
    expect(await skipped(gateway)).toBe(6);
    expect(answers.every(({ response }) => response.headers.vary === 'Accept-Encoding')).toBe(true);
    const bodies = answers.map(({ response }) => bodyOf(response));
    upstream.release();
    const whole = Buffer.concat([part, part]);
    for (const [index, body] of (await Promise.all(bodies)).entries())
      expect(decodedBody(body, codings[index]).equals(whole)).toBe(true);
    await untilCompressed(cleanUp, gateway);
  });

  it.for(['a reset', 'an end'])('leave their places by %s of the client', async (way, { cleanUp }) => {
    const upstream = await startHolding(cleanUp);
    const gateway = await startCompressing(cleanUp, upstream.port);
    const answers = await Promise.all(Array.from({ length: maxBodies }, () => ask(cleanUp, gateway)));
    expect((await ask(cleanUp, gateway)).response.headers['content-encoding']).toBeUndefined();
    for (const { response } of answers) {
      if (way === 'a reset') response.socket.resetAndDestroy();
      else response.socket.destroy();
    }
    await untilCompressed(cleanUp, gateway);
  });

  it('leave their places when their streams are reset', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp);
    const gateway = await startCompressing(cleanUp, upstream.port);
    const session = http2Session(cleanUp, gateway.url);
    const streams = Array.from({ length: maxBodies }, () =>
      session.request({ ':path': '/', 'accept-encoding': 'gzip' }),
    );
    for (const stream of streams) stream.on('error', () => undefined);
    await Promise.all(streams.map((stream) => once(stream, 'response')));
    expect((await ask(cleanUp, gateway)).response.headers['content-encoding']).toBeUndefined();
    for (const stream of streams) stream.close(8);
    await untilCompressed(cleanUp, gateway);
  });

  it('leave their places when the upstream goes', async ({ cleanUp }) => {
    const upstream = await startHolding(cleanUp);
    const gateway = await startCompressing(cleanUp, upstream.port);
    const answers = await Promise.all(Array.from({ length: maxBodies }, () => ask(cleanUp, gateway)));
    const bodies = answers.map(({ response }) =>
      bodyOf(response).then(
        () => 'whole',
        () => 'cut',
      ),
    );
    for (const response of upstream.held.splice(0)) response.destroy();
    expect(new Set(await Promise.all(bodies))).toEqual(new Set(['cut']));
    await untilCompressed(cleanUp, gateway);
  });
});

/** An upstream that sends `octets` as fast as they are taken. */
const startFast = async (cleanUp: CleanUp, octets: number, piece: Buffer) => {
  let sent = 0;
  let isClosed = false;
  const upstream = await startHttpUpstream((_, response) => {
    response.setHeader('Content-Type', 'text/plain');
    response.once('close', () => {
      isClosed = true;
    });
    const go = (): void => {
      while (sent < octets && !response.destroyed) {
        sent += piece.length;
        if (!response.write(piece)) {
          response.once('drain', go);
          return;
        }
      }
      response.end();
    };
    go();
  });
  cleanUp.add(() => upstream.close());
  return { port: upstream.port, sent: () => sent, isClosed: () => isClosed };
};

const noise = (): Buffer => Buffer.from(crypto.getRandomValues(new Uint8Array(49_152)));

describe('a client that stops reading', () => {
  it('stops the upstream, and its end ends the request to the upstream', async ({ cleanUp }) => {
    const upstream = await startFast(cleanUp, 1_000_000_000, noise());
    const gateway = await startCompressing(cleanUp, upstream.port);
    const client = connect({ host: gateway.address.host, port: gateway.address.port });
    cleanUp.add(async () => void client.destroy());
    client.write('GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n');
    await once(client, 'readable');
    let before = -1;
    await expect
      .poll(
        () => {
          const stands = upstream.sent() === before;
          before = upstream.sent();
          return stands;
        },
        { interval: 500 },
      )
      .toBe(true);
    expect(upstream.sent()).toBeLessThan(60_000_000);
    client.destroy();
    await expect.poll(upstream.isClosed).toBe(true);
  });
});

describe('clients that stop reading for too long', () => {
  it('leave their places of the compressor', async ({ cleanUp }) => {
    const upstream = await startHttpUpstream((request, response) => {
      response.setHeader('Content-Type', 'text/plain');
      if (request.url === '/short') {
        response.end(Buffer.alloc(50_000, 'short'));
        return;
      }
      const piece = noise();
      const go = (): void => {
        while (!response.destroyed) {
          if (!response.write(piece)) {
            response.once('drain', go);
            return;
          }
        }
      };
      go();
    });
    cleanUp.add(() => upstream.close());
    const gateway = await startCompressing(cleanUp, upstream.port, {}, {}, { bodyMs: 1_500 });
    const head = 'GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n';
    for (let count = 0; count < maxBodies / 2; count += 1) {
      const client = connect({ host: gateway.address.host, port: gateway.address.port });
      cleanUp.add(async () => void client.destroy());
      client.on('error', () => undefined);
      client.write(head);
    }
    const session = http2Session(cleanUp, gateway.url);
    for (let count = 0; count < maxBodies / 2; count += 1) {
      session.request({ ':path': '/', 'accept-encoding': 'gzip' }).on('error', () => undefined);
    }
    const coding = async () =>
      (await call(gateway.address.port, { path: '/short', headers: { 'Accept-Encoding': 'gzip' } })).headers[
        'content-encoding'
      ];
    await expect.poll(coding).toBeUndefined();
    await expect.poll(coding).toBe('gzip');
  });
});

describe('a body that shrinks to almost nothing', () => {
  it('arrives whole', async ({ cleanUp }) => {
    const octets = 100 * 65_536 * 4;
    const upstream = await startFast(cleanUp, octets, Buffer.alloc(65_536));
    const gateway = await startCompressing(cleanUp, upstream.port);
    const { response } = await ask(cleanUp, gateway);
    let coded = 0;
    let decoded = 0;
    response.on('data', (piece: Buffer) => {
      coded += piece.length;
    });
    const reader = response.pipe(createGunzip());
    reader.on('data', (piece: Buffer) => {
      decoded += piece.length;
    });
    await once(reader, 'end');
    expect(decoded).toBe(octets);
    expect(coded).toBeLessThan(octets / 300);
  });
});
