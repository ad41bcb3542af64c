import type { ListeningSocket } from '../../../application/ports/gateway/listening-sockets.js';
import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import type { ServerHandle } from './server-handle.js';

/** A socket that this process has. */
export class NodeListeningSocket implements ListeningSocket {
  readonly address: SocketAddress;
  readonly #handle: ServerHandle;
  readonly #closed: () => void;

  /** `closed` is called with each call of `close`. */
  constructor(handle: ServerHandle, address: SocketAddress, closed: () => void = () => undefined) {
    this.#handle = handle;
    this.address = address;
    this.#closed = closed;
  }

  /** Also what goes to another process as an attachment. */
  get listenable(): object {
    return this.#handle;
  }

  /** The descriptor of this process. */
  get fd(): number {
    return this.#handle.fd;
  }

  close(): void {
    this.#handle.close();
    this.#closed();
  }
}

/** The socket that came from another process as an attachment, bound to this address. */
export const attachedSocket = (attachment: object, address: SocketAddress): NodeListeningSocket =>
  new NodeListeningSocket(attachment as ServerHandle, address);
