import type { ListeningSocket } from '../../application/ports/gateway/listening-sockets.js';
import type { StreamAddress } from '../../domain/configuration/network-addresses.js';
import type { StreamSocket } from './stream-socket.js';
import type { TakeUpstreamInput, UpstreamStream } from './upstream-stream.js';

/** Accepts connections on a bound socket. */
export interface Acceptor {
  /** Starts accepting. Rejects with the system's error. */
  listen(): Promise<void>;
  /** Stops accepting; accepted connections stay open. Calls `closed` once none of them is open. */
  close(closed: () => void): void;
}

/** The sockets of HTTP/1.1 without TLS, on both sides. */
export interface SocketLayer {
  readonly name: 'native' | 'node';
  acceptor(socket: ListeningSocket, accepted: (socket: StreamSocket) => void): Acceptor;
  /** Connects to an IP address or a unix socket; `connect` or `error` follows. */
  connect(address: StreamAddress, read: TakeUpstreamInput): UpstreamStream;
}
