import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

interface Handshake<Connection> {
  readonly connection: Connection;
  isOver: boolean;
}

/** The two ends of a connection, which no other one has while it stands; null where the peer has gone. */
const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string | null =>
  remoteAddress === undefined ? null : `${remoteAddress} ${remotePort} ${localAddress}`;

/**
 * The handshakes that are under way on one listening socket. Node hands out the socket of TLS and keeps to itself what it
 * runs on: the two belong together where they have the same ends.
 */
export class TlsHandshakes<Connection> {
  readonly #underWay = new Map<string, Handshake<Connection>>();
  /** Of the connection that ended last, until TLS has had the time to say why. */
  #ended: Handshake<Connection> | null = null;

  /**
   * Has to be called before TLS gets the connection. False where its peer has gone already. `untold` is called where it
   * ended and nobody said why.
   */
  begin(raw: Socket, connection: Connection, untold: () => void): boolean {
    const ends = endsOf(raw);
    if (ends === null) return false;
    const handshake: Handshake<Connection> = { connection, isOver: false };
    // A peer that was reset may come again from the same port before its first connection is known to have ended.
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

  /** The connection whose handshake is over, one way or the other; null where that cannot be told any more. */
  take(socket: TLSSocket): Connection | null {
    const ends = endsOf(socket);
    // A socket that has been closed has no ends; TLS tells of it right after that of what it ran on.
    const handshake = ends === null ? this.#ended : (this.#underWay.get(ends) ?? null);
    if (handshake === null) return null;
    if (ends === null) this.#ended = null;
    else this.#underWay.delete(ends);
    handshake.isOver = true;
    return handshake.connection;
  }
}
