import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import { adoptHandle, boundAddress, type ServerHandle } from './server-handle.js';

/** A descriptor that this process was started with. */
export interface InheritedSocket {
  readonly fd: number;
  /** What the gateway before knew the socket by: see `listenerKey`. Null where no gateway handed it over. */
  readonly key: string | null;
  /** What a service manager calls it; null where it has no name. */
  readonly name: string | null;
}

/** One that no listener asked for. */
export interface UnclaimedSocket extends InheritedSocket {
  /** Where it is bound; null where it is no socket for TCP. */
  readonly address: SocketAddress | null;
}

interface AdoptedSocket extends UnclaimedSocket {
  readonly handle: ServerHandle | null;
}

const anyAddress: ReadonlySet<string> = new Set(['::', '0.0.0.0']);

/** The same port, and the same address; any address of IPv6 takes connections of IPv4 too. */
const isBoundTo = ({ address }: AdoptedSocket, { host, port }: SocketAddress): boolean =>
  address !== null &&
  address.port === port &&
  (address.host === host || (address.host === '::' && anyAddress.has(host)));

/** Sockets that this process was started with, each given out once. */
export class InheritedSockets {
  readonly #left: Set<AdoptedSocket>;

  constructor(inherited: readonly InheritedSocket[]) {
    this.#left = new Set(
      inherited.map((socket) => {
        const handle = adoptHandle(socket.fd);
        const address = handle && boundAddress(handle);
        return { ...socket, handle, address: typeof address === 'number' ? null : address };
      }),
    );
  }

  /** The one that the gateway before knew by this key, or else one that a service manager calls by this name. */
  named(key: string, name: string): ServerHandle | null {
    return this.#take((socket) => socket.key === key) ?? this.#take((socket) => socket.name === name);
  }

  /** The one that is bound there; `host` is an IP address. */
  boundTo(address: SocketAddress): ServerHandle | null {
    return address.port === 0 ? null : this.#take((socket) => isBoundTo(socket, address));
  }

  /** Closes those that are left, and says which they were. */
  dismiss(): readonly UnclaimedSocket[] {
    const left = [...this.#left];
    this.#left.clear();
    return left.map(({ handle, ...socket }) => {
      handle?.close();
      return socket;
    });
  }

  #take(fits: (socket: AdoptedSocket) => boolean): ServerHandle | null {
    for (const socket of this.#left) {
      if (socket.handle === null || !fits(socket)) continue;
      this.#left.delete(socket);
      return socket.handle;
    }
    return null;
  }
}
