import { renameSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { open, type SocketLayer } from '#native';
import type { CleanUp } from '../shared/clean-up.js';
import { eventually } from '../shared/eventually.js';

export type SocketEventType = 'accepted' | 'data' | 'end' | 'error' | 'connected' | 'drained' | 'accept-failed';

const types: readonly SocketEventType[] = ['accepted', 'data', 'end', 'error', 'connected', 'drained', 'accept-failed'];

/** A row of the layer, with a copy of its octets. */
export interface SocketEvent {
  readonly type: SocketEventType;
  readonly slot: number;
  readonly generation: number;
  readonly octets: Buffer;
  /** As the row has it: 1 for an error from writing. */
  readonly length: number;
  readonly value: number;
  readonly listener: number;
}

export interface SocketId {
  readonly slot: number;
  readonly generation: number;
}

interface DriverOptions {
  readonly arenaOctets?: number;
  readonly rows?: number;
  readonly maxQueuedOctets?: number;
}

const rowLength = 8;

/** A socket layer that records its events. */
export class SocketLayerDriver {
  readonly layer: SocketLayer;
  readonly events: SocketEvent[] = [];
  /** The events of each turn. */
  readonly turns: SocketEvent[][] = [];
  /** What the layer told of each turn: it left ready sockets to the next. */
  readonly hasMore: boolean[] = [];
  /** Called for each event, within the turn. */
  onEvent: (event: SocketEvent) => void = () => {};
  readonly #arena: Uint8Array;
  readonly #rows: Int32Array;

  constructor(cleanUp: CleanUp, { arenaOctets = 1 << 20, rows = 1024, maxQueuedOctets = 1 << 20 }: DriverOptions = {}) {
    this.#arena = new Uint8Array(arenaOctets);
    this.#rows = new Int32Array(rows * rowLength);
    this.layer = open({
      arena: this.#arena,
      events: this.#rows,
      maxQueuedOctets,
      onEvents: (count, hasMore) => {
        this.hasMore.push(hasMore);
        this.#record(count);
      },
    });
    cleanUp.add(() => this.layer.end());
  }

  #record(count: number): void {
    const turn = Array.from({ length: count }, (_, index) => this.#eventAt(index * rowLength));
    this.turns.push(turn);
    this.events.push(...turn);
    for (const event of turn) this.onEvent(event);
  }

  #eventAt(start: number): SocketEvent {
    const [type = 0, slot = 0, generation = 0, offset = 0, length = 0, value = 0, listener = 0] = this.#rows.subarray(
      start,
      start + rowLength,
    );
    const name = types[type - 1];
    if (name === undefined) throw new Error(`there is no event type ${type}`);
    const octets = type <= 2 ? Buffer.from(this.#arena.slice(offset, offset + length)) : Buffer.alloc(0);
    return { type: name, slot, generation, octets, length, value, listener };
  }

  of(type: SocketEventType, id?: SocketId): readonly SocketEvent[] {
    return this.events.filter((event) => event.type === type && (id === undefined || isOf(event, id)));
  }

  /** Resolves with the first event of a type, once there is one. */
  async first(type: SocketEventType, id?: SocketId): Promise<SocketEvent> {
    await eventually(() => this.of(type, id).length > 0);
    return this.of(type, id)[0] as SocketEvent;
  }

  /** What a socket has received so far. */
  received(id: SocketId): Buffer {
    return Buffer.concat(this.of('data', id).map(({ octets }) => octets));
  }

  /** Listens on a free port. */
  async listen(host = '127.0.0.1', backlog = 511): Promise<{ listener: number; port: number }> {
    const server = await bound({ port: 0, host });
    const listener = this.layer.listen(descriptorOf(server), backlog);
    const { port } = server.address() as AddressInfo;
    server.close();
    return { listener, port };
  }

  /** Listens on a unix socket. */
  async listenPath(path: string): Promise<number> {
    const server = await bound({ path: `${path}.bound` });
    const listener = this.layer.listen(descriptorOf(server), 511);
    // The server removes its path as it closes.
    renameSync(`${path}.bound`, path);
    server.close();
    return listener;
  }

  connect(host: string, port: number): SocketId {
    return this.#idOf(this.layer.connect(host, port));
  }

  connectPath(path: string): SocketId {
    return this.#idOf(this.layer.connectPath(path));
  }

  #idOf(slot: number): SocketId {
    return { slot, generation: this.layer.generationOf(slot) };
  }

  write({ slot, generation }: SocketId, text: string | Uint8Array): number {
    const octets = Buffer.from(text);
    return this.layer.write(slot, generation, octets, 0, octets.length);
  }

  /** Two sockets of the layer, connected to each other. */
  async pair(): Promise<{ client: SocketId; server: SocketId }> {
    const { listener, port } = await this.listen();
    const before = this.of('accepted').length;
    const client = this.connect('127.0.0.1', port);
    await eventually(() => this.of('accepted').length > before);
    const server = this.of('accepted').at(-1);
    await this.first('connected', client);
    this.layer.closeListener(listener);
    return { client, server: server as SocketEvent };
  }
}

const isOf = (event: SocketEvent, { slot, generation }: SocketId): boolean =>
  event.slot === slot && event.generation === generation;

/** Binds with a server of Node's, which has to be closed when the layer has its own copy of the descriptor. */
export const bound = (where: { port: number; host: string } | { path: string }): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(where, () => resolve(server));
  });

export const descriptorOf = (server: Server): number => (server as unknown as { _handle: { fd: number } })._handle.fd;
