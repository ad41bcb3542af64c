import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import { adoptHandle, boundAddress, type ServerHandle } from '../../stream-sockets/server-handle.js';

/** A descriptor inherited at process start. */
export interface InheritedSocket {
  readonly fd: number;
  /** Key of the previous gateway: see `listenerKey`. Null if no gateway handed it over. */
  readonly key: string | null;
  /** Name given by the service manager; null if none. */
  readonly name: string | null;
}

/** An inherited socket that no listener uses. */
export interface UnclaimedSocket extends InheritedSocket {
  /** Bound address; null if it is not a TCP socket. */
  readonly address: SocketAddress | null;
}

interface AdoptedSocket extends UnclaimedSocket {
  readonly handle: ServerHandle | null;
}

const anyAddress: ReadonlySet<string> = new Set(['::', '0.0.0.0']);

/** Same port and address. The IPv6 wildcard also accepts IPv4. */
const isBoundTo = ({ address }: AdoptedSocket, { host, port }: SocketAddress): boolean =>
  address !== null &&
  address.port === port &&
  (address.host === host || (address.host === '::' && anyAddress.has(host)));

/** The inherited sockets; each is used once. */
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

  /** The socket with this key of the previous gateway, or else with this service-manager name. */
  named(key: string, name: string): ServerHandle | null {
    return this.#take((socket) => socket.key === key) ?? this.#take((socket) => socket.name === name);
  }

  /** The socket bound to an address; `host` is an IP address. */
  boundTo(address: SocketAddress): ServerHandle | null {
    return address.port === 0 ? null : this.#take((socket) => isBoundTo(socket, address));
  }

  /** Closes the unused sockets and returns them. */
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
