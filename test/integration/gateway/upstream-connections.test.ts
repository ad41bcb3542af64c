import { connect, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import { startInProcess, testConfiguration, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { type RawAnswer, startRawUpstream } from '../../support/gateway/raw-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

const startWith = async (cleanUp: CleanUp, answer: RawAnswer, maxConnections = 1, requestMs = 5_000) => {
  const upstream = await startRawUpstream(answer);
  cleanUp.add(() => upstream.close());
  const timeouts = { connectMs: 1_000, readMs: 5_000, requestMs };
  const gateway = await startInProcess(testConfiguration([testUpstream(upstream.port, { maxConnections, timeouts })]));
  cleanUp.add(() => gateway.stop());
  return { ...gateway, upstream };
};

const request = (method: string, path = '/', more = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${more}\r\n`;

describe('requests that queue for a connection', () => {
  it('are counted as queued, served in order, and free once cancelled', async ({ cleanUp }) => {
    let first: Socket | null = null;
    const { address, state, upstream } = await startWith(cleanUp, (socket, _head, turn) => {
      if (turn === 0) first = socket;
      else socket.write(ok);
    });
    const holding = rawExchange(address, request('GET', '/first'));
    await eventually(() => first !== null);
    const givenUp = connect({ host: address.host, port: address.port });
    givenUp.write(request('GET', '/given-up'));
    await eventually(() => state.requestsQueued() === 1);
    const second = rawExchange(address, request('GET', '/second'));
    await eventually(() => state.requestsQueued() === 2);
    const third = rawExchange(address, request('GET', '/third'));
    await eventually(() => state.requestsQueued() === 3);
    givenUp.destroy();
    await eventually(() => state.requestsQueued() === 2);
    (first as unknown as Socket).write(ok);
    const answers = await Promise.all([holding, second, third]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(upstream.heads.map((head) => head.split(' ')[1])).toEqual(['/first', '/second', '/third']);
    expect(upstream.connections()).toBe(1);
    expect(state.requestsQueued()).toBe(0);
  });

  it('leave the queue with 503 after their timeout, and are never sent', async ({ cleanUp }) => {
    // The answer to the first one never ends.
    const { address, state, upstream, logger } = await startWith(
      cleanUp,
      (socket) => socket.write(ok.slice(0, -1)),
      1,
      500,
    );
    const holding = connect({ host: address.host, port: address.port });
    cleanUp.add(() => void holding.destroy());
    holding.write(request('GET', '/first'));
    await new Promise((resolve) => holding.once('data', resolve));
    const refused = await rawExchange(address, request('GET', '/second'));
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'upstream_overloaded' });
    expect(logger.lines.at(-1)?.fields['cause']).toMatch(/^no free connection within \d+ ms$/);
    expect(upstream.heads).toHaveLength(1);
    expect(state.requestsQueued()).toBe(0);
  });

  it('are each refused if no connection opens', async ({ cleanUp }) => {
    const { address, upstream } = await startWith(cleanUp, (socket) => socket.write(ok));
    await upstream.close();
    const answers = await Promise.all([1, 2, 3].map(() => rawExchange(address, request('GET'))));
    expect(answers.map(({ status }) => status)).toEqual([502, 502, 502]);
  });
});

describe('a connection to an upstream', () => {
  it('stays usable after a HEAD', async ({ cleanUp }) => {
    const { address, upstream } = await startWith(cleanUp, (socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'),
    );
    expect((await rawExchange(address, request('HEAD'))).status).toBe(200);
    expect((await rawExchange(address, request('HEAD'))).status).toBe(200);
    expect(upstream.connections()).toBe(1);
  });

  it('has a Host even for an HTTP/1.0 client without one', async ({ cleanUp }) => {
    const { address, upstream } = await startWith(cleanUp, (socket) => socket.write(ok));
    expect((await rawExchange(address, 'GET / HTTP/1.0\r\n\r\n')).status).toBe(200);
    expect(upstream.heads[0]?.toLowerCase()).toContain(`\r\nhost: 127.0.0.1:${upstream.port}`);
  });
});

describe('a kept connection that the upstream closes as a request is sent', () => {
  const endings: [string, (socket: Socket) => void][] = [
    ['orderly', (socket) => void socket.end()],
    ['by a reset', (socket) => void socket.resetAndDestroy()],
  ];

  /** The first request is answered; the second finds the connection closing; `later` are the ones after it. */
  const startClosing = async (cleanUp: CleanUp, close: (socket: Socket) => void, later: RawAnswer) => {
    const gateway = await startWith(cleanUp, (socket, head, turn) => {
      if (turn === 0) socket.write(ok);
      else if (turn === 1) close(socket);
      else later(socket, head, turn);
    });
    expect((await rawExchange(gateway.address, request('GET'))).status).toBe(200);
    return gateway;
  };

  it.for(endings)('%s does not fail a GET: it is sent again on a new one', async ([_, close], { cleanUp }) => {
    const { address, upstream } = await startClosing(cleanUp, close, (socket) => socket.write(ok));
    expect((await rawExchange(address, request('GET'))).status).toBe(200);
    expect([upstream.heads.length, upstream.connections()]).toEqual([3, 2]);
  });

  it('does not cause a third attempt of a GET', async ({ cleanUp }) => {
    const { address, upstream } = await startClosing(
      cleanUp,
      (socket) => socket.end(),
      (socket) => socket.end(),
    );
    expect((await rawExchange(address, request('GET'))).status).toBe(502);
    expect(upstream.heads).toHaveLength(3);
  });

  it.for([
    ['POST', ''],
    ['DELETE', ''],
    ['PUT', 'Content-Length: 0\r\n'],
  ] as const)('fails a %s, which may have been processed', async ([method, more], { cleanUp }) => {
    const { address, upstream } = await startClosing(
      cleanUp,
      (socket) => socket.end(),
      (socket) => socket.write(ok),
    );
    expect((await rawExchange(address, request(method, '/', more))).status).toBe(502);
    expect(upstream.heads).toHaveLength(2);
  });

  it('fails a GET with a body', async ({ cleanUp }) => {
    const { address, upstream } = await startClosing(
      cleanUp,
      (socket) => socket.end(),
      (socket) => socket.write(ok),
    );
    const { status } = await rawExchange(address, `${request('GET', '/', 'Content-Length: 2\r\n')}hi`);
    expect(status).toBe(502);
    expect(upstream.heads).toHaveLength(2);
  });

  it('fails a GET with a response in progress', async ({ cleanUp }) => {
    const { address, upstream } = await startClosing(
      cleanUp,
      (socket) => socket.end('HTTP/1.1 2'),
      (socket) => socket.write(ok),
    );
    expect((await rawExchange(address, request('GET'))).status).toBe(502);
    expect(upstream.heads).toHaveLength(2);
  });

  it('fails a GET on a new connection', async ({ cleanUp }) => {
    const { address, upstream } = await startWith(cleanUp, (socket) => socket.end());
    expect((await rawExchange(address, request('GET'))).status).toBe(502);
    expect(upstream.heads).toHaveLength(1);
  });
});
