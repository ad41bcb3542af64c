import { createServer, type Socket } from 'node:net';
import { eventually } from './eventually.js';

/** A frame of the older framing, written by hand: length and JSON, or whatever the test wants there. */
export const legacyFrameOf = (payload: string | Uint8Array | object): Buffer => {
  const octets = Buffer.from(
    typeof payload === 'string' || payload instanceof Uint8Array ? payload : JSON.stringify(payload),
  );
  const head = Buffer.alloc(4);
  head.writeUInt32BE(octets.length, 0);
  return Buffer.concat([head, octets]);
};

/** What a gateway sends in the older framing. */
export interface LegacyMessage {
  readonly version: number;
  readonly event_type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** An agent's end of one connection, that sends what the test says and keeps what comes. */
export class RawLegacyPeer {
  readonly socket: Socket;
  readonly messages: LegacyMessage[] = [];
  isClosed = false;
  #rest = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isClosed = true;
    });
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  #take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 4 && this.#rest.length >= 4 + this.#rest.readUInt32BE(0)) {
      const end = 4 + this.#rest.readUInt32BE(0);
      this.messages.push(JSON.parse(this.#rest.subarray(4, end).toString('utf8')) as LegacyMessage);
      this.#rest = this.#rest.subarray(end);
    }
  }

  send(...payloads: readonly (string | Uint8Array | object)[]): void {
    this.socket.write(Buffer.concat(payloads.map(legacyFrameOf)));
  }

  /** The latest message, once there are so many in all. */
  async received(count: number): Promise<LegacyMessage | undefined> {
    await eventually(() => this.messages.length >= count || this.isClosed);
    return this.messages[count - 1];
  }

  async closed(): Promise<void> {
    await eventually(() => this.isClosed);
  }
}

/** What these agents answer. */
export const legacyAllow = { version: 2, decision: 'allow' };

export interface RawLegacyAgent {
  readonly peers: RawLegacyPeer[];
  /** The peer of the connection that was made as the `index`-th. */
  peer(index?: number): Promise<RawLegacyPeer>;
  close(): Promise<void>;
}

/** @param greet what it does with each new connection; without it, it takes the configuration */
export const rawLegacyAgent = async (
  path: string,
  greet: (peer: RawLegacyPeer) => void = (peer) => {
    void peer.received(1).then(() => peer.send({ success: true }));
  },
): Promise<RawLegacyAgent> => {
  const peers: RawLegacyPeer[] = [];
  const server = createServer((socket) => {
    const peer = new RawLegacyPeer(socket);
    peers.push(peer);
    greet(peer);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    peers,
    async peer(index = 0) {
      await eventually(() => peers.length > index);
      return peers[index] as RawLegacyPeer;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const peer of peers) peer.socket.destroy();
      await closed;
    },
  };
};
