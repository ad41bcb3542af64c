import type { ListeningSocket } from '../../application/ports/gateway/listening-sockets.js';
import type { StreamAddress } from '../../domain/configuration/network-addresses.js';
import type { StreamSocket } from './stream-socket.js';
import type { TakeUpstreamInput, UpstreamStream } from './upstream-stream.js';

/** Accepts connections on a socket. */
export interface Acceptor {
  /** Starts accepting. Rejects with the system's error. */
  listen(): Promise<void>;
  /** Stops accepting; accepted connections stay open. Calls `closed` once none of them is open. */
  close(closed: () => void): void;
}

/** What an acceptor of a unix socket reports. */
export interface PathAcceptorEvents {
  accepted(socket: StreamSocket): void;
  /** A connection could not be accepted, for another reason than a lack of descriptors. */
  failed(error: Error): void;
}

/** The sockets of HTTP/1.1 without TLS and of agents, on both sides. */
export interface SocketLayer {
  readonly name: 'native' | 'node';
  acceptor(socket: ListeningSocket, accepted: (socket: StreamSocket) => void): Acceptor;
  /**
   * Accepts on a unix socket. `listen` creates its file before it returns, with the rights that the
   * umask leaves; `close` removes it.
   */
  pathAcceptor(path: string, events: PathAcceptorEvents): Acceptor;
  /** Connects to an IP address or a unix socket; `connect` or `error` follows. */
  connect(address: StreamAddress, read: TakeUpstreamInput): UpstreamStream;
  /** Connects to the unix socket of an agent; `connect` or `error` follows. The peer may end its side first. */
  connectPath(path: string, read: TakeUpstreamInput): StreamSocket;
}
