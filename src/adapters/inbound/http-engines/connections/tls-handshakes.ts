import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

interface Handshake<Connection> {
  readonly connection: Connection;
  isOver: boolean;
}

/** Address pair of a connection, unique while it is open; null if the peer is gone. */
const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string | null =>
  remoteAddress === undefined ? null : `${remoteAddress} ${remotePort} ${localAddress}`;

/**
 * TLS handshakes in progress on one listening socket. Node's TLS socket does not expose its TCP
 * socket; equal address pairs connect the two.
 */
export class TlsHandshakes<Connection> {
  readonly #underWay = new Map<string, Handshake<Connection>>();
  /** The connection that closed last, kept until TLS reports the reason. */
  #ended: Handshake<Connection> | null = null;

  /**
   * Call it before TLS gets the connection. False if the peer is gone. Calls `untold` if the
   * connection closes and TLS reports no reason.
   */
  begin(raw: Socket, connection: Connection, untold: () => void): boolean {
    const ends = endsOf(raw);
    if (ends === null) return false;
    const handshake: Handshake<Connection> = { connection, isOver: false };
    // After a reset, a peer may reuse its port before the first connection is known to be closed.
    this.#underWay.set(ends, handshake);
    raw.once('close', () => {
      if (this.#underWay.get(ends) === handshake) this.#underWay.delete(ends);
      if (handshake.isOver) return;
      this.#ended = handshake;
      setImmediate(() => {
        if (this.#ended === handshake) this.#ended = null;
        if (!handshake.isOver) untold();
      });
    });
    return true;
  }

  /** The connection of a finished handshake; null if it is no longer known. */
  take(socket: TLSSocket): Connection | null {
    const ends = endsOf(socket);
    // A closed socket has no addresses. TLS reports it right after the TCP socket.
    const handshake = ends === null ? this.#ended : (this.#underWay.get(ends) ?? null);
    if (handshake === null) return null;
    if (ends === null) this.#ended = null;
    else this.#underWay.delete(ends);
    handshake.isOver = true;
    return handshake.connection;
  }
}
