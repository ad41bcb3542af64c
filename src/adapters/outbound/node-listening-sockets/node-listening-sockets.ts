import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { ListeningSockets } from '../../../application/ports/gateway/listening-sockets.js';
import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import { bindError, bindHandle, boundAddress, type ServerHandle } from '../../stream-sockets/server-handle.js';
import { type InheritedSocket, InheritedSockets, type UnclaimedSocket } from './inherited-sockets.js';
import { NodeListeningSocket } from './node-listening-socket.js';

/** A socket to pass to another process at its start. */
export interface InheritableSocket {
  readonly key: string;
  readonly fd: number;
}

/**
 * The sockets of this process by key. Opening a key again returns the same socket until it is
 * closed. A supervisor passes them to its workers, and a program to its successor.
 */
export class NodeListeningSockets implements ListeningSockets {
  readonly #open = new Map<string, NodeListeningSocket>();
  readonly #opening = new Map<string, Promise<NodeListeningSocket>>();
  readonly #inherited: InheritedSockets;

  constructor(inherited: readonly InheritedSocket[] = []) {
    this.#inherited = new InheritedSockets(inherited);
  }

  async open(key: string, address: SocketAddress, name: string): Promise<NodeListeningSocket> {
    const present = this.#open.get(key) ?? this.#opening.get(key);
    if (present !== undefined) return present;
    const opening = this.#make(key, address, name);
    this.#opening.set(key, opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(key);
    }
  }

  /** Closes sockets with other keys. */
  keep(keys: ReadonlySet<string>): void {
    for (const [key, socket] of [...this.#open]) if (!keys.has(key)) socket.close();
  }

  /** All open sockets. */
  held(): readonly InheritableSocket[] {
    return [...this.#open].map(([key, { fd }]) => ({ key, fd }));
  }

  /** Closes the unused inherited sockets and returns them. */
  dismissUnclaimed(): readonly UnclaimedSocket[] {
    return this.#inherited.dismiss();
  }

  async #make(key: string, address: SocketAddress, name: string): Promise<NodeListeningSocket> {
    const handle = this.#inherited.named(key, name) ?? (await this.#at(address));
    const bound = boundAddress(handle);
    if (typeof bound === 'number') throw bindError(bound, address);
    const socket = new NodeListeningSocket(handle, bound, () => {
      if (this.#open.get(key) === socket) this.#open.delete(key);
    });
    this.#open.set(key, socket);
    return socket;
  }

  async #at({ host, port }: SocketAddress): Promise<ServerHandle> {
    const ip = isIP(host) > 0 ? host : (await lookup(host)).address;
    const address = { host: ip, port };
    return this.#inherited.boundTo(address) ?? bindHandle(address);
  }
}
