import type { Socket } from 'node:net';
import type { ConnectionEnd } from '../../../application/ports/gateway/agent-connector.js';
import { admitSocket, type SocketTrust } from './admit-socket.js';

/**
 * What every socket of one connection passes, and what closes all of them. @grpc/grpc-js only ends its sockets, so that
 * a peer that does not end its side, or that says nothing within TLS, would keep them.
 */
export class SocketGate {
  /** Whether what passes is encrypted. */
  readonly isSecure: boolean;
  readonly #trust: SocketTrust;
  readonly #sockets = new Set<Socket>();
  #hasAdmitted = false;
  #failure: ConnectionEnd | null = null;
  #isClosed = false;
  /** The agent has said that it takes no new streams. */
  hasGoaway = false;
  onGoaway: () => void = () => {};

  constructor(trust: SocketTrust) {
    this.#trust = trust;
    this.isSecure = trust.kind === 'tls';
  }

  /** Why no socket has passed; null where one has, or none has come. */
  get failure(): ConnectionEnd | null {
    return this.#hasAdmitted ? null : this.#failure;
  }

  /** @returns the socket to speak on; rejects, and closes the socket, where the agent is not one to be trusted */
  async admit(socket: Socket): Promise<Socket> {
    this.#keep(socket);
    const admitted = await admitSocket(socket, this.#trust);
    if (admitted.ok && !this.#isClosed && !socket.destroyed) {
      this.#keep(admitted.value);
      this.#hasAdmitted = true;
      return admitted.value;
    }
    socket.destroy();
    if (!admitted.ok) this.#failure = admitted.error;
    throw new Error(admitted.ok ? 'the connection ended before it was used' : admitted.error.detail);
  }

  /** @param code 0: it sees to the streams that are open */
  noteGoaway(code: number): void {
    this.hasGoaway = true;
    if (code === 0) this.onGoaway();
    else this.close();
  }

  /** Has no socket keep the process from its end. */
  letGo(): void {
    for (const socket of this.#sockets) socket.unref();
  }

  /** Closes every socket, those that are still to come too. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {});
    if (this.#isClosed) socket.destroy();
  }
}
