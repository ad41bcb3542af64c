import type { Socket } from 'node:net';
import type { Deadlines } from '../core/deadlines.js';
import { Deadline } from './deadline.js';

/** What every connection of HTTP/2 begins with (RFC 9113, section 3.4), and none of HTTP/1.1. */
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** What a connection begins with; null: the first octets have not told yet. */
const begins = (came: Buffer): 'http1' | 'http2' | null => {
  const length = Math.min(came.length, preface.length);
  if (came.compare(preface, 0, length, 0, length) !== 0) return 'http1';
  return length === preface.length ? 'http2' : null;
};

/** Finds out by its first octets which HTTP a plain connection speaks. */
export class ConnectionPrefaces {
  readonly #deadlines: Deadlines;
  readonly #awaited = new WeakMap<Socket, () => void>();

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines;
  }

  /** Whether its first octets are awaited. */
  awaits(socket: Socket): boolean {
    return this.#awaited.has(socket);
  }

  /**
   * `told` is called once the octets have told, with everything that came put back to be read; `late` where they do not
   * in time. Neither is where the connection ends before.
   */
  take(socket: Socket, timeoutMs: number, told: (spoken: 'http1' | 'http2') => void, late: () => void): void {
    let came: Buffer = Buffer.alloc(0);
    const settle = (): void => {
      this.#awaited.delete(socket);
      this.#deadlines.remove(deadline);
      socket.off('readable', read).off('end', end).off('error', end).off('close', settle);
    };
    const end = (): void => void socket.destroy();
    const read = (): void => {
      const piece = socket.read() as Buffer | null;
      if (piece === null) return;
      came = came.length === 0 ? piece : Buffer.concat([came, piece]);
      const spoken = begins(came);
      if (spoken === null) return;
      settle();
      socket.unshift(came);
      told(spoken);
    };
    const deadline = new Deadline(() => {
      settle();
      late();
    });
    this.#awaited.set(socket, settle);
    this.#deadlines.set(deadline, performance.now() + timeoutMs);
    socket.on('readable', read).on('end', end).on('error', end).on('close', settle);
  }
}
