import { connect, type Socket } from 'node:net';
import { describe, expect } from 'vitest';
import type { RecordingHandler } from '../../../../support/gateway/recording-handler.js';
import { recordedListener } from '../../../../support/gateway/tls-listener.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
/** Far longer than a test may take. */
const forever = 600_000;

const client = async (cleanUp: CleanUp, port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  cleanUp.add(() => socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
};

/** The next response as far as it has come at once. */
const asked = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    socket.once('data', (octets) => resolve(octets.toString('latin1')));
    socket.once('close', () => reject(new Error('the connection has ended')));
    socket.write(request);
  });

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });

/** Nothing of this process happens for so long. */
const standStill = (forMs: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
};

/** As the gateway does while it drains: every response says that it was the last. */
const saysClose = (handler: RecordingHandler): void => {
  handler.handle = (_request, response) => response.send(200, [], 'last', true);
};

it('a drain waits until a client has the complete response', async ({ cleanUp }) => {
  const length = 8_000_000;
  const { listener, handler } = await recordedListener(cleanUp, null);
  const written = new Promise<void>((resolve) => {
    handler.handle = (_request, response) => {
      response.send(200, [], 'a'.repeat(length), true);
      resolve();
    };
  });
  const slow = connect({ host: '127.0.0.1', port: listener.address().port });
  let octets = 0;
  slow.on('data', (piece) => {
    octets += piece.length;
  });
  slow.pause();
  const ended = new Promise((resolve) => slow.once('close', resolve));
  slow.write(request);
  await written;
  const drained = listener.drain(10_000);
  slow.resume();
  await Promise.all([ended, drained]);
  expect(octets).toBeGreaterThan(length);
});

describe('a draining listener', () => {
  it('answers a request in transit on a used connection, and then closes it', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null, { drainLingerMs: forever });
    const used = await client(cleanUp, listener.address().port);
    await asked(used);
    saysClose(handler);
    const drained = listener.drain(forever);
    const answer = await asked(used);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer.toLowerCase()).toContain('connection: close');
    await Promise.all([closed(used), drained]);
  });

  it('answers the first request of a new connection', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null, { drainLingerMs: forever });
    const fresh = await client(cleanUp, listener.address().port);
    await handler.admitted();
    saysClose(handler);
    const drained = listener.drain(forever);
    expect(await asked(fresh)).toMatch(/^HTTP\/1\.1 200 /);
    await Promise.all([closed(fresh), drained]);
  });

  it('answers requests that arrived on an idle connection while the process was stopped', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null, { drainLingerMs: 100 });
    const used = await client(cleanUp, listener.address().port);
    await asked(used);
    saysClose(handler);
    const drained = listener.drain(forever);
    const answer = asked(used);
    standStill(300);
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    await Promise.all([closed(used), drained]);
  });

  it.for(['before', 'within'])(
    'does not count a stop of the process %s the drain as silence',
    async (when, { cleanUp }) => {
      const { listener, handler } = await recordedListener(cleanUp, null, { drainLingerMs: 300 });
      const used = await client(cleanUp, listener.address().port);
      await asked(used);
      saysClose(handler);
      if (when === 'before') standStill(500);
      const drained = listener.drain(forever);
      if (when === 'within') standStill(500);
      // Whatever is due for that has been done then.
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(await asked(used)).toMatch(/^HTTP\/1\.1 200 /);
      await Promise.all([closed(used), drained]);
    },
  );

  it('closes unused connections after the idle time', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null, { drainLingerMs: 50 });
    const used = await client(cleanUp, listener.address().port);
    await asked(used);
    const silent = await client(cleanUp, listener.address().port);
    await expect.poll(() => handler.peers.length).toBe(2);
    await listener.drain(forever);
    await Promise.all([closed(used), closed(silent)]);
  });

  it('keeps idle connections longer if a successor already serves the address', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null, { drainLingerMs: 0, replacedLingerMs: 300 });
    const [used, idle] = await Promise.all([
      client(cleanUp, listener.address().port),
      client(cleanUp, listener.address().port),
    ]);
    await Promise.all([asked(used), asked(idle)]);
    const begunMs = performance.now();
    saysClose(handler);
    const drained = listener.drain(forever, true);
    expect(await asked(used)).toMatch(/^HTTP\/1\.1 200 /);
    await Promise.all([closed(used), closed(idle), drained]);
    expect(performance.now() - begunMs).toBeGreaterThanOrEqual(299);
  });

  it('waits for no client without a grace period', async ({ cleanUp }) => {
    const { listener } = await recordedListener(cleanUp, null, { drainLingerMs: forever });
    const used = await client(cleanUp, listener.address().port);
    await asked(used);
    await listener.drain(0);
    await closed(used);
    expect(listener.connections()).toBe(0);
  });

  it('accepts no new connection from the start', async ({ cleanUp }) => {
    const { listener, handler } = await recordedListener(cleanUp, null, { drainLingerMs: forever });
    const used = await client(cleanUp, listener.address().port);
    await asked(used);
    void listener.drain(forever);
    const late = connect(listener.address().port, '127.0.0.1');
    const refused = new Promise((resolve) => late.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code)));
    expect(await refused).toBe('ECONNREFUSED');
    expect(handler.peers).toHaveLength(1);
  });
});
