import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { RejectionAnswer } from '../../../../application/ports/gateway/http-engine.js';
import { responseHeadText } from '../../../wire/http1/head-text.js';
import { refuseHttp2 } from '../http2/session-options.js';
import { dateLine } from './date-line.js';

/**
 * Ends connections that were told to end some milliseconds ago. What was answered before that moment in the same turn of the event loop, and
 * waits for its end, goes out before: timers that are due come first.
 */
export const cutAfter = (graceMs: number, cut: () => void): NodeJS.Timeout =>
  setTimeout(() => void setImmediate(cut), graceMs);

/** The last response of a connection, of HTTP/1.1, as it goes out: to be written at once. */
export const rejectionOctets = ({ status, headers, body }: RejectionAnswer): Buffer => {
  const octets = Buffer.from(body);
  const framing = ['Content-Length', String(octets.length), 'Connection', 'close'];
  const head = `${responseHeadText(status, [...headers, ...framing])}${dateLine()}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), octets]);
};

/** Refusals under way at a time, of all listeners of an engine. Beyond them a connection ends without a word. */
const maxUnderWay = 256;

/** How long a client that is refused has for its TLS handshake. */
const handshakeMs = 2_000;

/** How long it has to take its answer. */
const answerMs = 1_000;

/** Ends connections that are not let in, in a way that their clients get to know why. */
export class ConnectionRefuser {
  readonly #underWay = new Map<Socket, NodeJS.Timeout>();

  get size(): number {
    return this.#underWay.size;
  }

  /** Takes a connection that has just been accepted. False where there are too many already: it has ended then. */
  begin(raw: Socket): boolean {
    if (this.#underWay.size >= maxUnderWay) {
      raw.destroy();
      return false;
    }
    raw.on('error', () => raw.destroy());
    this.#endIn(raw, handshakeMs);
    raw.once('close', () => {
      clearTimeout(this.#underWay.get(raw));
      this.#underWay.delete(raw);
    });
    return true;
  }

  /** Answers on `socket`: the connection itself, or what TLS is spoken on over it. */
  answer(raw: Socket, socket: Socket, answer: RejectionAnswer): void {
    this.#endIn(raw, answerMs);
    socket.on('error', () => socket.destroy());
    if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') {
      refuseHttp2(socket, answer);
      return;
    }
    // What came and was not read would make the end of the connection a reset, which may overtake the answer.
    socket.resume();
    socket.end(rejectionOctets(answer));
  }

  #endIn(raw: Socket, delayMs: number): void {
    // Its end may have been told of: nothing would take it out again.
    if (raw.destroyed) return;
    clearTimeout(this.#underWay.get(raw));
    this.#underWay.set(
      raw,
      setTimeout(() => raw.destroy(), delayMs),
    );
  }
}
