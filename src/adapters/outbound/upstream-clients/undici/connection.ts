import { Client, type Dispatcher } from 'undici';
import type { SocketAddress } from '../../../../domain/configuration/gateway-configuration.js';
import type { PooledConnection } from '../pool/target-connections.js';
import { connectSocket, type UpstreamSocket } from './upstream-socket.js';

export interface ConnectionOptions {
  readonly address: SocketAddress;
  /** For requests that have no Host themselves. */
  readonly authority: string;
  readonly connectMs: number;
  readonly readMs: number;
}

/** Octets of a response head. */
const maxResponseHeadBytes = 65_536;

/** undici wants a URL; no part of it is used, so that no host can be one that URLs have another opinion of. */
const origin = 'http://upstream';

/** How much sooner a connection is given up than its upstream says that it does. */
const keepAliveMarginMs = 500;

/** One connection to a target, made anew when it is needed again after it was closed. Takes one request at a time. */
export class Connection implements PooledConnection {
  restingAt = -1;
  readonly authority: string;
  /** Silence of the upstream that is borne. */
  readonly readMs: number;
  readonly #client: Client;
  #socket: UpstreamSocket | null = null;

  /** `onLost` is called when the socket that it has has closed, whoever closed it. */
  constructor({ address, authority, connectMs, readMs }: ConnectionOptions, onLost: (connection: Connection) => void) {
    this.authority = authority;
    this.readMs = readMs;
    this.#client = new Client(origin, {
      pipelining: 1,
      // With the two seconds that it has by itself, an upstream that keeps connections for two has each of them closed at once.
      keepAliveTimeoutThreshold: keepAliveMarginMs,
      connect: (_options, callback) => {
        this.#socket?.destroy();
        const socket = connectSocket(address, connectMs, callback);
        this.#socket = socket;
        socket.once('close', () => {
          if (this.#socket === socket) onLost(this);
        });
      },
      headersTimeout: readMs,
      bodyTimeout: readMs,
      maxHeaderSize: maxResponseHeadBytes,
      allowH2: false,
    });
  }

  /** The socket in use, that of a tunnel too, or the last one. */
  get socket(): UpstreamSocket | null {
    return this.#socket;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === 'open';
  }

  /** It stands, or is being made for a request that was given up since. */
  get isUsable(): boolean {
    return this.isOpen || this.#socket?.connecting === true;
  }

  get isReadDry(): boolean {
    return this.#socket?.isReadDry !== false;
  }

  /** Every outcome comes by the handler, that undici refuses the request among them. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** Cuts off what is under way. */
  async destroy(): Promise<void> {
    await this.#client.destroy();
    // undici leaves one that is only connecting to its time-out, and knows nothing of one that is a tunnel.
    this.#socket?.destroy();
  }
}
