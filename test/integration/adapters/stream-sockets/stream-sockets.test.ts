import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { NodeListeningSockets } from '../../../../src/adapters/outbound/node-listening-sockets/node-listening-sockets.js';
import type { SocketLayerSelector } from '../../../../src/adapters/stream-sockets/socket-layer-selector.js';
import {
  readAsStream,
  readOctets,
  type StreamSocket,
  toNodeSocket,
} from '../../../../src/adapters/stream-sockets/stream-socket.js';
import type { UpstreamStream } from '../../../../src/adapters/stream-sockets/upstream-stream.js';
import { layersOf } from '../../../support/gateway/socket-layers.js';
import type { CleanUp } from '../../../support/shared/clean-up.js';
import { eventually } from '../../../support/shared/eventually.js';
import { it } from '../../../support/shared/fixtures.js';

/** A listener of a layer, whose connections go to `accepted`. */
const listening = async (cleanUp: CleanUp, layers: SocketLayerSelector, accepted: (socket: StreamSocket) => void) => {
  const socket = await new NodeListeningSockets().open('k', { host: '127.0.0.1', port: 0 }, 'k');
  const acceptor = layers.current.acceptor(socket, accepted);
  await acceptor.listen();
  const closed = new Promise<void>((resolve) => {
    cleanUp.add(() => acceptor.close(resolve));
  });
  return { port: socket.address.port, acceptor, closed, socket };
};

/** Both ends of a connection: `near` is of the layer. */
const connected = async (
  cleanUp: CleanUp,
  layers: SocketLayerSelector,
): Promise<{ near: StreamSocket; far: Socket }> => {
  const accepted: StreamSocket[] = [];
  const { port } = await listening(cleanUp, layers, (socket) => void accepted.push(socket));
  const far = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  far.on('error', () => undefined);
  await eventually(() => accepted.length === 1);
  const near = accepted[0] as StreamSocket;
  near.on('error', () => undefined);
  cleanUp.add(() => {
    near.destroy();
    far.destroy();
  });
  return { near, far };
};

type Step =
  | { readonly kind: 'write'; readonly octets: number; readonly isText: boolean }
  | { readonly kind: 'cork' | 'uncork' | 'turn' };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('write' as const), octets: fc.nat(100_000), isText: fc.boolean() }),
    fc.constantFrom<Step>({ kind: 'cork' }, { kind: 'uncork' }, { kind: 'turn' }),
  ),
  { maxLength: 20 },
);

const pattern = Buffer.from(Uint8Array.from({ length: 251 }, (_, at) => (at * 31) & 0xff));

const patterned = (octets: number, seed: number): Buffer =>
  Buffer.alloc(octets, Buffer.concat([pattern.subarray(seed), pattern.subarray(0, seed)]));

describe.each(['native', 'node'] as const)('a socket of the %s layer', (name) => {
  it('sends what is written in order, whatever is corked, and then its end', async ({ cleanUp }) => {
    const layers = await layersOf(name);
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const { near, far } = await connected(cleanUp, layers);
        const received: Buffer[] = [];
        let isEnded = false;
        far.on('data', (octets) => void received.push(octets));
        far.on('end', () => {
          isEnded = true;
        });
        const written: Buffer[] = [];
        for (const [seed, step] of plan.entries()) {
          if (step.kind === 'write') {
            const octets = patterned(step.octets, seed);
            written.push(octets);
            if (step.isText) near.write(octets.toString('latin1'), 'latin1');
            else near.write(octets);
          } else if (step.kind === 'turn') await new Promise((resolve) => setImmediate(resolve));
          else near[step.kind]();
        }
        near.end();
        await eventually(() => isEnded);
        expect(Buffer.concat(received).equals(Buffer.concat(written))).toBe(true);
        far.destroy();
        near.destroy();
      }),
      { numRuns: 25 },
    );
  });

  it('reads in order over pauses, and ends behind the last octet', async ({ cleanUp }) => {
    const { near, far } = await connected(cleanUp, await layersOf(name));
    const sent = patterned(1_000_000, 7);
    const got: Buffer[] = [];
    let isEnded = false;
    near.on('end', () => {
      isEnded = true;
    });
    readOctets(near, (octets) => {
      // INVARIANT: what is kept is copied.
      got.push(Buffer.from(octets));
      expect(isEnded).toBe(false);
      near.pause();
      setTimeout(() => near.resume(), 1);
    });
    far.end(sent);
    await eventually(() => isEnded);
    expect(Buffer.concat(got).equals(sent)).toBe(true);
    expect(near.bytesRead).toBe(sent.length);
  });

  it('says that more should wait, and drains once the peer reads', async ({ cleanUp }) => {
    const { near, far } = await connected(cleanUp, await layersOf(name));
    far.pause();
    let drains = 0;
    near.on('drain', () => {
      drains += 1;
    });
    const piece = patterned(100_000, 1);
    let sent = 0;
    for (let takesMore = true; takesMore; sent += piece.length) takesMore = near.write(piece);
    expect(near.writableLength).toBeGreaterThan(0);
    let received = 0;
    far.on('data', (octets) => {
      received += octets.length;
    });
    far.resume();
    await eventually(() => drains === 1 && received === sent);
    expect(near.writableLength).toBe(0);
    expect(near.bytesWritten).toBe(sent);
  });

  it('calls each write back, in order, also an empty one behind others', async ({ cleanUp }) => {
    const { near, far } = await connected(cleanUp, await layersOf(name));
    const done: string[] = [];
    far.pause();
    near.write(patterned(5_000_000, 1), () => done.push('large'));
    near.write('', 'latin1', () => done.push('empty'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(done).toEqual([]);
    far.resume();
    await eventually(() => done.length === 2);
    expect(done).toEqual(['large', 'empty']);
  });

  it('closes by itself once both sides have ended, and says so once', async ({ cleanUp }) => {
    const { near, far } = await connected(cleanUp, await layersOf(name));
    let closes = 0;
    near.on('close', () => {
      closes += 1;
    });
    readOctets(near, () => undefined);
    near.end(Buffer.from('last'));
    far.resume();
    far.end();
    await eventually(() => closes > 0);
    expect([closes, near.destroyed, near.errored]).toEqual([1, true, null]);
  });

  it('reports a reset as an error, then its close', async ({ cleanUp }) => {
    const { near, far } = await connected(cleanUp, await layersOf(name));
    const events: string[] = [];
    near.on('error', (error) => void events.push((error as NodeJS.ErrnoException).code ?? ''));
    near.on('close', () => void events.push('close'));
    readOctets(near, () => undefined);
    far.resetAndDestroy();
    await eventually(() => events.includes('close'));
    expect(events).toEqual(['ECONNRESET', 'close']);
  });

  it('becomes a net.Socket with what was put back before what follows', async ({ cleanUp }) => {
    const { near, far } = await connected(cleanUp, await layersOf(name));
    let first = '';
    const take = (octets: Buffer): void => {
      first += octets.toString();
      near.pause();
    };
    readOctets(near, take);
    far.write('abc');
    await eventually(() => first === 'abc');
    const stream = toNodeSocket(near);
    stream.pause();
    readAsStream(stream, take);
    stream.unshift(Buffer.from('bc'));
    far.end('def');
    let rest = '';
    for await (const octets of stream.iterator({ destroyOnReturn: false })) rest += String(octets);
    expect(rest).toBe('bcdef');
    stream.end('bye');
    let answer = '';
    far.on('data', (octets) => {
      answer += octets.toString();
    });
    await eventually(() => answer === 'bye');
  });

  it('has its acceptor closed only once every accepted connection is', async ({ cleanUp }) => {
    const accepted: StreamSocket[] = [];
    const { port, acceptor, socket } = await listening(
      cleanUp,
      await layersOf(name),
      (socket) => void accepted.push(socket),
    );
    const far = connect({ host: '127.0.0.1', port });
    far.on('error', () => undefined);
    await eventually(() => accepted.length === 1);
    let isClosed = false;
    acceptor.close(() => {
      isClosed = true;
    });
    socket.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isClosed).toBe(false);
    accepted[0]?.destroy();
    await eventually(() => isClosed);
    const refused = await new Promise<string>((resolve) => {
      connect({ host: '127.0.0.1', port }).on('error', (error) => resolve((error as NodeJS.ErrnoException).code ?? ''));
    });
    expect(refused).toBe('ECONNREFUSED');
    far.destroy();
  });
});

describe('a native socket', () => {
  it('names the write if octets that it had queued cannot be sent', async ({ cleanUp }) => {
    const { near, far } = await connected(cleanUp, await layersOf('native'));
    let failure: NodeJS.ErrnoException | null = null;
    near.on('error', (error) => {
      failure = error;
    });
    readOctets(near, () => undefined);
    near.write(patterned(8_000_000, 1), () => undefined);
    far.resetAndDestroy();
    await eventually(() => failure !== null);
    expect(failure).toMatchObject({ syscall: 'write' });
  });
});

describe.each(['native', 'node'] as const)('a connection to an upstream, of the %s layer', (name) => {
  const opened = async (port: number): Promise<{ socket: UpstreamStream; events: string[] }> => {
    const layers = await layersOf(name);
    const events: string[] = [];
    const socket = layers.current.connect({ host: '127.0.0.1', port }, () => true);
    socket.on('connect', () => void events.push('connect'));
    socket.on('error', (error) => void events.push((error as NodeJS.ErrnoException).code ?? ''));
    socket.on('close', () => void events.push('close'));
    return { socket, events };
  };

  it('says that nobody listens there', async () => {
    const { events } = await opened(1);
    await eventually(() => events.includes('close'));
    expect(events).toEqual(['ECONNREFUSED', 'close']);
  });

  it('goes on reading where it forgives a write that the peer does not take', async ({ cleanUp }) => {
    const accepted: StreamSocket[] = [];
    const node = await layersOf('node');
    const { port } = await listening(cleanUp, node, (socket) => void accepted.push(socket));
    const { socket, events } = await opened(port);
    cleanUp.add(() => void socket.destroy());
    await eventually(() => accepted.length === 1 && events.includes('connect'));
    socket.forgiveWrites();
    accepted[0]?.destroy();
    for (let time = 0; time < 50 && socket.writeError === null && !socket.destroyed; time += 1) {
      socket.write('x', 'latin1');
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(socket.writeError !== null || socket.errored !== null || events.includes('close')).toBe(true);
  });
});
