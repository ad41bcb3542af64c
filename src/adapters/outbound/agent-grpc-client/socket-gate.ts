import type { Socket } from 'node:net';
import type { ConnectionEnd } from '../../../application/ports/gateway/agent-connector.js';
import { admitSocket, type SocketTrust } from './admit-socket.js';

/**
 * Checks and closes all sockets of one connection. @grpc/grpc-js only ends its sockets; a peer that
 * does not end its side, or hangs in TLS, would keep them open.
 */
export class SocketGate {
  /** Whether the sockets use TLS. */
  readonly isSecure: boolean;
  readonly #trust: SocketTrust;
  readonly #sockets = new Set<Socket>();
  #hasAdmitted = false;
  #failure: ConnectionEnd | null = null;
  #isClosed = false;
  /** The agent has sent a GOAWAY. */
  hasGoaway = false;
  onGoaway: () => void = () => {};

  constructor(trust: SocketTrust) {
    this.#trust = trust;
    this.isSecure = trust.kind === 'tls';
  }

  /** Why no socket has passed; null if one has, or none was tried. */
  get failure(): ConnectionEnd | null {
    return this.#hasAdmitted ? null : this.#failure;
  }

  /** Resolves with the socket to use. Closes the socket and rejects if the agent is not trusted. */
  async admit(socket: Socket): Promise<Socket> {
    this.#track(socket);
    const admitted = await admitSocket(socket, this.#trust);
    if (admitted.ok && !this.#isClosed && !socket.destroyed) {
      this.#track(admitted.value);
      this.#hasAdmitted = true;
      return admitted.value;
    }
    socket.destroy();
    if (!admitted.ok) this.#failure = admitted.error;
    throw new Error(admitted.ok ? 'the connection ended before it was used' : admitted.error.detail);
  }

  /** @param code error code of the GOAWAY; 0: open streams complete */
  noteGoaway(code: number): void {
    this.hasGoaway = true;
    if (code === 0) this.onGoaway();
    else this.close();
  }

  /** Lets the process exit while sockets are open. */
  unref(): void {
    for (const socket of this.#sockets) socket.unref();
  }

  /** Closes all sockets, including later ones. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {});
    if (this.#isClosed) socket.destroy();
  }
}
