import type { ListeningSocket } from '../../../application/ports/gateway/listening-sockets.js';
import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import type { ServerHandle } from '../../stream-sockets/server-handle.js';

/** A bound socket of this process. */
export class NodeListeningSocket implements ListeningSocket {
  readonly address: SocketAddress;
  readonly #handle: ServerHandle;
  readonly #closed: () => void;

  /** @param closed called on each `close` */
  constructor(handle: ServerHandle, address: SocketAddress, closed: () => void = () => undefined) {
    this.#handle = handle;
    this.address = address;
    this.#closed = closed;
  }

  /** Handle for `listen`, and attachment for messages to other processes. */
  get listenable(): object {
    return this.#handle;
  }

  /** Descriptor in this process. */
  get fd(): number {
    return this.#handle.fd;
  }

  close(): void {
    this.#handle.close();
    this.#closed();
  }
}

/** A socket received from another process as an attachment. */
export const attachedSocket = (attachment: object, address: SocketAddress): NodeListeningSocket =>
  new NodeListeningSocket(attachment as ServerHandle, address);
