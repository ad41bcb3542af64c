import { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** Whether both sockets have the same peer. A closed socket has none. */
const haveSamePeer = (one: Socket, other: Socket): boolean =>
  one.remotePort !== undefined && one.remotePort === other.remotePort && one.remoteAddress === other.remoteAddress;

/** TLS handshakes in progress on one listening socket, by their TCP sockets. */
export class TlsHandshakes<Connection> {
  readonly #underWay = new Map<Socket, Connection>();

  /**
   * Call it before TLS gets the connection. Calls `untold` if the connection closes and TLS reports no reason in that
   * turn of the event loop.
   */
  begin(raw: Socket, connection: Connection, untold: () => void): void {
    this.#underWay.set(raw, connection);
    raw.once('close', () => {
      if (!this.#underWay.has(raw)) return;
      setImmediate(() => {
        if (this.#underWay.delete(raw)) untold();
      });
    });
  }

  /** The connection of a finished handshake; null if it is no longer known. */
  take(socket: TLSSocket): Connection | null {
    const raw = this.#rawOf(socket);
    const connection = raw === null ? undefined : this.#underWay.get(raw);
    if (raw === null || connection === undefined) return null;
    this.#underWay.delete(raw);
    return connection;
  }

  /** Node keeps the TCP socket in an internal property. If Node renames it, equal peers connect the two. */
  #rawOf(socket: TLSSocket): Socket | null {
    const { _parent: raw } = socket as { readonly _parent?: unknown };
    if (raw instanceof Socket) return raw;
    for (const candidate of this.#underWay.keys()) if (haveSamePeer(candidate, socket)) return candidate;
    return null;
  }
}
