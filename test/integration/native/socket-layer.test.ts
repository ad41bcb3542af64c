import { execFileSync } from 'node:child_process';
import { connect, createServer, type Server, Socket } from 'node:net';
import { constants } from 'node:os';
import { describe, expect } from 'vitest';
import { type SocketId, SocketLayerDriver } from '../../support/native/socket-layer-driver.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

const { ECONNREFUSED, ECONNRESET, ENOBUFS, EPIPE } = constants.errno;
const estale = 116;

describe('the input that the kernel holds', () => {
  it('is told without being read, also of a paused socket, until it is read', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { client, server } = await driver.pair();
    const hasInput = (): boolean => driver.layer.hasInput(server.slot, server.generation);
    expect(hasInput()).toBe(false);
    driver.layer.pause(server.slot, server.generation);
    driver.write(client, 'ping');
    expect([hasInput(), hasInput()]).toEqual([true, true]);
    driver.layer.resume(server.slot, server.generation);
    await eventually(() => driver.received(server).toString() === 'ping');
    expect(hasInput()).toBe(false);
  });

  it('may be an end or a reset, which is reported nevertheless', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    for (const [action, event] of [
      ['shutdown', 'end'],
      ['reset', 'error'],
    ] as const) {
      const { client, server } = await driver.pair();
      driver.layer[action](client.slot, client.generation);
      expect(driver.layer.hasInput(server.slot, server.generation)).toBe(true);
      await driver.first(event, server);
      expect(driver.layer.hasInput(server.slot, server.generation)).toBe(false);
    }
  });
});

describe('a listener of the socket layer', () => {
  it('reports a connection with the address and the port of the peer', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { listener, port } = await driver.listen();
    const client = connect(port, '127.0.0.1');
    cleanUp.add(() => client.destroy());
    const accepted = await driver.first('accepted');
    expect(accepted).toMatchObject({ listener, value: client.localPort });
    expect(accepted.octets.toString()).toBe('127.0.0.1');
  });

  it('reports a connection and its first octets in one turn', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { port } = await driver.listen();
    // The event loop waits for the program: when the layer has its turn, the connection and the octets are there.
    execFileSync('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET /' >&3`]);
    const server = await driver.first('accepted');
    expect(driver.turns[0]?.map(({ type }) => type)).toEqual(['accepted', 'data']);
    expect(driver.received(server).toString()).toBe('GET /');
  });

  it('shows IPv6 addresses, and IPv4 addresses of a dual-stack listener as IPv4', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { port } = await driver.listen('::');
    driver.connect('::1', port);
    driver.connect('127.0.0.1', port);
    await eventually(() => driver.of('accepted').length === 2);
    expect(driver.of('accepted').map(({ octets }) => octets.toString())).toEqual(['::1', '127.0.0.1']);
  });

  it('shows no address for a unix socket', async ({ cleanUp, folder }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const path = folder.file('layer.sock');
    await driver.listenPath(path);
    const client = driver.connectPath(path);
    await driver.first('connected', client);
    driver.write(client, 'hello');
    const server = await driver.first('accepted');
    expect(server).toMatchObject({ length: 0, value: 0 });
    await eventually(() => driver.received(server).toString() === 'hello');
  });

  it('refuses connections after it is closed', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { listener, port } = await driver.listen();
    driver.layer.closeListener(listener);
    const client = driver.connect('127.0.0.1', port);
    expect(await driver.first('error', client)).toMatchObject({ value: ECONNREFUSED, length: 0 });
    expect(driver.layer.stats()).toMatchObject({ listeners: 0 });
  });

  it('leaves the descriptor of the caller open', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => server.close());
    const listener = driver.layer.listen((server as unknown as { _handle: { fd: number } })._handle.fd, 16);
    driver.layer.closeListener(listener);
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
    const client = connect((server.address() as { port: number }).port, '127.0.0.1');
    cleanUp.add(() => client.destroy());
    const socket = await accepted;
    cleanUp.add(() => socket.destroy());
    expect(socket.remotePort).toBe(client.localPort);
  });
});

/** An echo server of Node's, which allows half-closed connections. */
const echoServer = (onSocket: (socket: Socket) => void = (socket) => socket.pipe(socket)): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      onSocket(socket);
    });
    server.listen(0, '127.0.0.1', () => resolve(server));
  });

const portOf = (server: Server): number => (server.address() as { port: number }).port;

describe('a socket of the layer', () => {
  it('exchanges octets with a peer of node:net and counts them', async ({ cleanUp }) => {
    const server = await echoServer();
    cleanUp.add(() => server.close());
    const driver = new SocketLayerDriver(cleanUp);
    const id = driver.connect('127.0.0.1', portOf(server));
    await driver.first('connected', id);
    expect(driver.write(id, 'hello')).toBe(0);
    await eventually(() => driver.received(id).toString() === 'hello');
    expect(driver.layer.bytesRead(id.slot, id.generation)).toBe(5);
    expect(driver.layer.bytesWritten(id.slot, id.generation)).toBe(5);
  });

  it('queues what is written while it connects, and reports when the queue is empty', async ({ cleanUp }) => {
    const server = await echoServer();
    cleanUp.add(() => server.close());
    const driver = new SocketLayerDriver(cleanUp);
    const id = driver.connect('127.0.0.1', portOf(server));
    expect(driver.write(id, 'early')).toBe(5);
    expect(driver.layer.queued(id.slot, id.generation)).toBe(5);
    await eventually(() => driver.received(id).toString() === 'early');
    expect(driver.events.map(({ type }) => type)).toEqual(['connected', 'drained', 'data']);
    expect(driver.layer.stats()).toMatchObject({ queuedOctets: 0 });
  });

  it('half-closes after the queued octets and still receives', async ({ cleanUp }) => {
    const server = await echoServer();
    cleanUp.add(() => server.close());
    const driver = new SocketLayerDriver(cleanUp);
    const id = driver.connect('127.0.0.1', portOf(server));
    driver.write(id, 'last words');
    driver.layer.shutdown(id.slot, id.generation);
    expect(driver.write(id, 'more')).toBe(-EPIPE);
    await driver.first('end', id);
    expect(driver.received(id).toString()).toBe('last words');
  });

  it('reports the half-close of a peer once and can still write', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { client, server } = await driver.pair();
    driver.layer.shutdown(client.slot, client.generation);
    await driver.first('end', server);
    driver.write(server, 'answer');
    await eventually(() => driver.received(client).toString() === 'answer');
    expect(driver.of('end')).toHaveLength(1);
  });

  it('reports the reset of a peer after the octets that came before it', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { client, server } = await driver.pair();
    driver.layer.pause(server.slot, server.generation);
    driver.write(client, 'before');
    driver.layer.reset(client.slot, client.generation);
    driver.layer.resume(server.slot, server.generation);
    expect(await driver.first('error', server)).toMatchObject({ value: ECONNRESET, length: 0 });
    expect(driver.received(server).toString()).toBe('before');
    expect(driver.write(server, 'late')).toBe(-ECONNRESET);
    expect(driver.layer.stats()).toMatchObject({ sockets: 1 });
    driver.layer.close(server.slot, server.generation);
    expect(driver.layer.stats()).toMatchObject({ sockets: 0 });
  });

  it('reads nothing while it is paused', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { client, server } = await driver.pair();
    driver.layer.pause(server.slot, server.generation);
    driver.write(client, 'waiting');
    driver.layer.shutdown(client.slot, client.generation);
    const other = await driver.pair();
    driver.write(other.client, 'passing');
    await eventually(() => driver.received(other.server).toString() === 'passing');
    expect(driver.received(server)).toHaveLength(0);
    driver.layer.resume(server.slot, server.generation);
    await driver.first('end', server);
    expect(driver.received(server).toString()).toBe('waiting');
  });

  it('queues what a slow peer does not take, up to the limit, and loses nothing', async ({ cleanUp }) => {
    const limit = 4 << 20;
    const driver = new SocketLayerDriver(cleanUp, { maxQueuedOctets: limit });
    const { client, server } = await driver.pair();
    driver.layer.pause(server.slot, server.generation);
    const piece = Buffer.alloc(100_003, 'abcdefghijklmnopqrstuvwxyz');
    let taken = 0;
    let queued = 0;
    while (queued >= 0) {
      queued = driver.write(client, piece);
      if (queued >= 0) taken += 1;
    }
    expect(queued).toBe(-ENOBUFS);
    expect(driver.layer.queued(client.slot, client.generation)).toBeGreaterThan(limit - piece.length);
    expect(driver.layer.queued(client.slot, client.generation)).toBeLessThanOrEqual(limit);
    driver.layer.resume(server.slot, server.generation);
    await driver.first('drained', client);
    await eventually(() => driver.layer.bytesRead(server.slot, server.generation) === taken * piece.length);
    expect(driver.received(server).equals(Buffer.concat(Array.from({ length: taken }, () => piece)))).toBe(true);
  });

  it('moves to node:net with its descriptor', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { client, server } = await driver.pair();
    const fd = driver.layer.detach(server.slot, server.generation);
    const socket = new Socket({ fd, readable: true, writable: true });
    cleanUp.add(() => socket.destroy());
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.pipe(socket);
    driver.write(client, 'through node');
    await eventually(() => driver.received(client).toString() === 'through node');
    expect(driver.of('data', server)).toEqual([]);
  });

  it('is not detached while octets are queued or it connects', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { port } = await driver.listen();
    const { slot, generation } = driver.connect('127.0.0.1', port);
    expect(() => driver.layer.detach(slot, generation)).toThrow(expect.objectContaining({ code: 'EBUSY' }));
  });
});

describe('a batch of writes', () => {
  const batch = (driver: SocketLayerDriver, rows: readonly (readonly [SocketId, number, number])[], text: string) => {
    const table = Int32Array.from(
      rows.flatMap(([{ slot, generation }, offset, length]) => [slot, generation, offset, length]),
    );
    driver.layer.writeBatch(table, rows.length, Buffer.from(text));
    return rows.map((_, index) => table[index * 4 + 3]);
  };

  it('writes to many sockets and keeps the order of each', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { client, server } = await driver.pair();
    const results = batch(
      driver,
      [
        [client, 0, 2],
        [client, 2, 2],
        [server, 4, 2],
        [client, 6, 2],
      ],
      'aabbccdd',
    );
    expect(results).toEqual([0, 0, 0, 0]);
    await eventually(() => driver.received(server).length === 6 && driver.received(client).length === 2);
    expect(driver.received(server).toString()).toBe('aabbdd');
    expect(driver.received(client).toString()).toBe('cc');
  });

  it('gives each row its result: queued octets, a stale socket, a full queue', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp, { maxQueuedOctets: 10 });
    const { port } = await driver.listen();
    const id = driver.connect('127.0.0.1', port);
    const stale = { slot: id.slot, generation: id.generation + 1 };
    const results = batch(
      driver,
      [
        [id, 0, 4],
        [id, 0, 4],
        [id, 0, 4],
        [stale, 0, 1],
        [id, 0, 1],
      ],
      'abcd',
    );
    expect(results).toEqual([4, 8, -ENOBUFS, -estale, -ENOBUFS]);
  });
});

describe('a failing connect of the layer', () => {
  it('throws the error of a unix path that does not exist', ({ cleanUp, folder }) => {
    const { layer } = new SocketLayerDriver(cleanUp);
    expect(() => layer.connectPath(folder.file('missing'))).toThrow(
      expect.objectContaining({ code: 'ENOENT', errno: -constants.errno.ENOENT, syscall: 'connect' }),
    );
    expect(layer.stats()).toMatchObject({ sockets: 0 });
  });

  it('throws what listen(2) says', ({ cleanUp }) => {
    const { layer } = new SocketLayerDriver(cleanUp);
    expect(() => layer.listen(1_000_000, 1)).toThrow(expect.objectContaining({ code: 'EBADF' }));
  });
});

describe('the layer', () => {
  it('reuses slots first in, first out, with the next generation', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { port } = await driver.listen();
    const first = driver.connect('127.0.0.1', port);
    driver.layer.close(first.slot, first.generation);
    const seen: SocketId[] = [];
    while (seen.at(-1)?.slot !== first.slot) {
      const id = driver.connect('127.0.0.1', port);
      driver.layer.close(id.slot, id.generation);
      seen.push(id);
    }
    expect(seen).toHaveLength(64);
    expect(seen.at(-1)).toEqual({ slot: first.slot, generation: first.generation + 1 });
  });
});
