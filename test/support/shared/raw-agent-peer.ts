import { connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from './eventually.js';

/** A frame of the agent protocol, written by hand: length, type byte, payload. */
export const rawFrame = (code: number, payload: string | Uint8Array | object): Buffer => {
  const octets = Buffer.from(
    typeof payload === 'string' || payload instanceof Uint8Array ? payload : JSON.stringify(payload),
  );
  const head = Buffer.alloc(5);
  head.writeUInt32BE(octets.length + 1, 0);
  head.writeUInt8(code, 4);
  return Buffer.concat([head, octets]);
};

export interface RawFrame {
  readonly code: number;
  readonly payload: string;
}

/** The other end of an agent's socket, that sends what the test says and keeps what comes. */
export class RawPeer {
  readonly socket: Socket;
  readonly frames: RawFrame[] = [];
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
      this.frames.push({ code: this.#rest.readUInt8(4), payload: this.#rest.subarray(5, end).toString('utf8') });
      this.#rest = this.#rest.subarray(end);
    }
  }

  send(code: number, payload: string | Uint8Array | object): void {
    this.socket.write(rawFrame(code, payload));
  }

  /** The frames of a type, once there are so many. */
  async received(code: number, count = 1): Promise<readonly RawFrame[]> {
    const found = (): RawFrame[] => this.frames.filter((frame) => frame.code === code);
    await eventually(() => found().length >= count || this.isClosed);
    return found();
  }

  async closed(): Promise<void> {
    await eventually(() => this.isClosed);
  }
}

/** Connects to an agent as a gateway would, without a handshake. */
export const rawGateway = async (path: string): Promise<RawPeer> => {
  const socket = connect({ path });
  const peer = new RawPeer(socket);
  await eventually(() => !socket.connecting);
  return peer;
};

export const rawHandshake = {
  supported_versions: [2],
  proxy_id: 'raw',
  proxy_version: '9',
  config: null,
  supported_encodings: ['json'],
};

export const rawHandshakeAnswer = {
  protocol_version: 2,
  capabilities: {
    agent_id: 'raw',
    name: 'raw',
    version: '1',
    supported_events: [1, 2],
    features: { config_push: true, cancellation: true, flow_control: true },
    limits: {},
  },
  success: true,
  error: null,
  encoding: 'json',
};

/** An agent that is no more than a listening socket. */
export interface RawAgent {
  readonly server: Server;
  readonly peers: RawPeer[];
  /** The first peer whose connection is open. */
  peer(): Promise<RawPeer>;
  close(): Promise<void>;
}

/** @param greet what it does with each new connection; without it, a correct handshake */
export const rawAgent = async (
  path: string,
  greet: (peer: RawPeer) => void = (peer) => {
    void peer.received(0x01).then(() => peer.send(0x02, rawHandshakeAnswer));
  },
): Promise<RawAgent> => {
  const peers: RawPeer[] = [];
  const server = createServer((socket) => {
    const peer = new RawPeer(socket);
    peers.push(peer);
    greet(peer);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    server,
    peers,
    async peer() {
      await eventually(() => peers.some((peer) => !peer.isClosed));
      return peers.find((peer) => !peer.isClosed) as RawPeer;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const peer of peers) peer.socket.destroy();
      await closed;
    },
  };
};
