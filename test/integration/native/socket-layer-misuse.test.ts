import { describe, expect } from 'vitest';
import { open, type SocketLayer, type SocketLayerOptions } from '#native';
import { type SocketId, SocketLayerDriver } from '../../support/native/socket-layer-driver.js';
import { it } from '../../support/shared/fixtures.js';

/** The layer without its types: what a program without TypeScript can do. */
type Untyped = Record<string, (...args: readonly unknown[]) => unknown>;

const untyped = (layer: SocketLayer): Untyped => layer as unknown as Untyped;
const call = (layer: SocketLayer, method: string, ...args: readonly unknown[]): unknown =>
  untyped(layer)[method]?.(...args);

const octets = new Uint8Array(16);
const values: readonly unknown[] = [
  undefined,
  null,
  true,
  '1',
  {},
  [],
  Symbol('slot'),
  1n,
  () => 1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  0.5,
  2 ** 31,
  2 ** 32,
  -(2 ** 40),
  1e300,
];
const socketMethods = [
  'queued',
  'hasInput',
  'pause',
  'resume',
  'shutdown',
  'close',
  'reset',
  'detach',
  'bytesRead',
  'bytesWritten',
] as const;

const connected = async (driver: SocketLayerDriver): Promise<SocketId> => (await driver.pair()).client;

const isArgumentError = (error: unknown): boolean => error instanceof TypeError || error instanceof RangeError;

const refused = (action: () => unknown): void => {
  let error: unknown;
  try {
    action();
  } catch (thrown) {
    error = thrown;
  }
  expect(isArgumentError(error), String(error)).toBe(true);
};

const stale = expect.objectContaining({ code: 'ESTALE', message: expect.stringContaining('no such open socket') });

describe('the methods of a socket', () => {
  it.for(socketMethods)('%s refuses what is no slot and no generation', async (method, { cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { slot, generation } = await connected(driver);
    for (const value of values) {
      refused(() => call(driver.layer, method, value, generation));
      refused(() => call(driver.layer, method, slot, value));
    }
    refused(() => call(driver.layer, method));
    expect(driver.layer.stats()).toMatchObject({ sockets: 2 });
  });

  it.for(socketMethods)('%s refuses stale and unknown ids', async (method, { cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { slot, generation } = await connected(driver);
    const ids = [
      [slot, generation + 1],
      [slot, 0],
      [slot, -1],
      [-1, generation],
      [-(2 ** 31), generation],
      [2 ** 31 - 1, generation],
      [63, 1],
    ];
    for (const id of ids) expect(() => call(driver.layer, method, ...id)).toThrow(stale);
    driver.layer.close(slot, generation);
    expect(() => call(driver.layer, method, slot, generation)).toThrow(stale);
  });
});

describe('writing', () => {
  it('refuses offsets and lengths outside the octets', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { slot, generation } = await connected(driver);
    const ranges: readonly (readonly unknown[])[] = [
      [0, 17],
      [17, 0],
      [16, 1],
      [-1, 1],
      [1, -1],
      [2 ** 31 - 1, 2 ** 31 - 1],
      ...values.flatMap((value) => [
        [value, 1],
        [0, value],
      ]),
    ];
    for (const range of ranges) refused(() => call(driver.layer, 'write', slot, generation, octets, ...range));
    expect(driver.layer.bytesWritten(slot, generation)).toBe(0);
    expect(driver.layer.write(slot, generation, octets, 16, 0)).toBe(0);
  });

  it('refuses other memory than a Uint8Array that is not shared', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { slot, generation } = await connected(driver);
    const memories: readonly unknown[] = [
      ...values,
      new ArrayBuffer(16),
      new DataView(new ArrayBuffer(16)),
      new Int8Array(16),
      new Uint8ClampedArray(16),
      new Uint8Array(new SharedArrayBuffer(16)),
    ];
    for (const memory of memories) refused(() => call(driver.layer, 'write', slot, generation, memory, 0, 1));
    const transferred = new Uint8Array(16);
    structuredClone(transferred, { transfer: [transferred.buffer] });
    refused(() => call(driver.layer, 'write', slot, generation, transferred, 0, 1));
  });

  it('sends nothing of a batch with an unsound row', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { slot, generation } = await connected(driver);
    const good = [slot, generation, 0, 4];
    for (const [offset, length] of [
      [0, 17],
      [-1, 1],
      [1, -1],
      [2 ** 31 - 1, 2 ** 31 - 1],
    ] as const) {
      const rows = Int32Array.from([...good, slot, generation, offset, length]);
      refused(() => driver.layer.writeBatch(rows, 2, octets));
    }
    refused(() => driver.layer.writeBatch(Int32Array.from(good), 2, octets));
    refused(() => driver.layer.writeBatch(Int32Array.from(good), -1, octets));
    for (const value of values) {
      refused(() => call(driver.layer, 'writeBatch', value, 1, octets));
      refused(() => call(driver.layer, 'writeBatch', Int32Array.from(good), value, octets));
      refused(() => call(driver.layer, 'writeBatch', Int32Array.from(good), 1, value));
    }
    refused(() => call(driver.layer, 'writeBatch', new Float64Array(8), 1, octets));
    expect(driver.layer.bytesWritten(slot, generation)).toBe(0);
  });
});

describe('connecting and listening', () => {
  it('refuse unsound arguments', ({ cleanUp }) => {
    const { layer } = new SocketLayerDriver(cleanUp);
    const hosts = ['', 'localhost', '1.2.3', '1.2.3.4.5', '::1%', '::1%no-such-interface', '::1%99999999999', ':::'];
    for (const host of [...hosts, '::1\0', 'x'.repeat(100_000)]) refused(() => layer.connect(host, 80));
    for (const port of [...values, -1, 65_536]) refused(() => call(layer, 'connect', '127.0.0.1', port));
    for (const value of values.filter((each) => typeof each !== 'string')) {
      refused(() => call(layer, 'connect', value, 80));
      refused(() => call(layer, 'connectPath', value));
    }
    refused(() => layer.connectPath('/tmp/a\0b'));
    expect(() => layer.connectPath('')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    expect(() => layer.connectPath(`/tmp/${'x'.repeat(200)}`)).toThrow(
      expect.objectContaining({ code: 'ENAMETOOLONG' }),
    );
    for (const value of [...values, -1]) {
      refused(() => call(layer, 'listen', value, 1));
      refused(() => call(layer, 'listen', 0, value));
    }
    for (const value of values) {
      refused(() => call(layer, 'closeListener', value));
      refused(() => call(layer, 'generationOf', value));
    }
    for (const listener of [-1, 0, 5000, 2 ** 31 - 1]) expect(() => layer.closeListener(listener)).toThrow(stale);
    for (const slot of [-1, 0, 2 ** 31 - 1]) expect(() => layer.generationOf(slot)).toThrow(stale);
    expect(layer.stats()).toEqual({ sockets: 0, listeners: 0, queuedOctets: 0 });
  });
});

describe('opening', () => {
  const sound = (): SocketLayerOptions => ({
    arena: new Uint8Array(8192),
    events: new Int32Array(64),
    maxQueuedOctets: 1,
    onEvents: () => {},
  });

  it('refuses unsound options', () => {
    const openUntyped = open as unknown as (options?: unknown) => SocketLayer;
    for (const value of values.filter((each) => typeof each !== 'object' || each === null))
      refused(() => openUntyped(value));
    for (const name of Object.keys(sound())) {
      for (const value of values.filter((each) => name !== 'onEvents' || typeof each !== 'function'))
        refused(() => openUntyped({ ...sound(), [name]: value }));
    }
    refused(() => open({ ...sound(), arena: new Uint8Array(8191) }));
    refused(() => open({ ...sound(), events: new Int32Array(63) }));
    refused(() => open({ ...sound(), maxQueuedOctets: 0 }));
    refused(() => open({ ...sound(), arena: new Uint8Array(new SharedArrayBuffer(8192)) }));
    refused(() => open({ ...sound(), events: new Int32Array(new SharedArrayBuffer(256)) }));
    const failing = {
      get arena(): Uint8Array {
        throw new Error('no arena');
      },
    };
    expect(() => openUntyped(failing)).toThrow('no arena');
  });

  it('gives methods that throw EBADF after the end, and can be ended twice', async ({ cleanUp }) => {
    const driver = new SocketLayerDriver(cleanUp);
    const { slot, generation } = await connected(driver);
    const { end, write, stats } = driver.layer;
    end();
    end();
    const ended = expect.objectContaining({ code: 'EBADF' });
    expect(() => write(slot, generation, octets, 0, 1)).toThrow(ended);
    expect(() => stats()).toThrow(ended);
    for (const method of Object.keys(driver.layer).filter((name) => name !== 'end'))
      expect(() => call(driver.layer, method, slot, generation), method).toThrow(ended);
  });
});
