import { Socket } from 'node:net';

/**
 * The sockets that this process opens, by what they are seen as from the other side. What a gateway has written and
 * the system has not taken is to be seen in them alone.
 */
export class OutgoingSockets {
  readonly #open = new Set<Socket>();
  readonly #connect = Socket.prototype.connect;

  constructor() {
    const [open, connect] = [this.#open, this.#connect];
    const noted = function (this: Socket, ...args: unknown[]): Socket {
      open.add(this);
      this.once('close', () => open.delete(this));
      return Reflect.apply(connect, this, args);
    };
    Socket.prototype.connect = noted;
  }

  /** Whether the one with this port of its own is open and holds octets that the system has not taken. */
  holdsOctets(localPort: number): boolean {
    for (const socket of this.#open) {
      if (socket.localPort === localPort && !socket.destroyed && socket.writableLength > 0) return true;
    }
    return false;
  }

  stop(): void {
    Socket.prototype.connect = this.#connect;
  }
}
