import type { Socket } from 'node:net';
import type { SeededRandom } from '../inputs/seeded-random.js';

/** How far around what the system can hold the sizes lie: a gateway writes a body in pieces of up to 64 KiB. */
const spread = 98_304;
/** In this time a gateway has handed over all that it can. */
const answerMs = 60;

/**
 * An upload as octets, about as long as what the system takes for an upstream that does not read: some of it may be
 * held by the gateway when all of it was written.
 */
export const heldUpload = (random: SeededRandom, capacity: number): string => {
  const content = 'x'.repeat(Math.max(1, capacity - spread / 2 + random.below(spread)));
  const head = 'POST /held HTTP/1.1\r\nHost: a\r\n';
  if (random.chance(0.7)) return `${head}Content-Length: ${content.length}\r\n\r\n${content}`;
  return `${head}Transfer-Encoding: chunked\r\n\r\n${content.length.toString(16)}\r\n${content}\r\n0\r\n\r\n`;
};

/** An upstream that reads no more of a request than its head, and answers it later. */
export class HoldingUpstream {
  #held: Socket | null = null;

  hold(socket: Socket): void {
    this.#held = socket;
    socket.pause();
    setTimeout(() => {
      if (!socket.destroyed) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nheld');
    }, answerMs);
  }

  /** The port of the connection that it holds. */
  get port(): number | null {
    return this.#held?.remotePort ?? null;
  }

  /** Reads on. */
  resume(): void {
    this.#held?.resume();
  }
}
