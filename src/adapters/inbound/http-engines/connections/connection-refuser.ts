import { TLSSocket } from 'node:tls';
import type { RejectionAnswer } from '../../../../application/ports/gateway/http-engine.js';
import type { StreamSocket } from '../../../stream-sockets/stream-socket.js';
import { responseHeadText } from '../../../wire/http1/head-text.js';
import { refuseHttp2 } from '../http2/session-options.js';
import { dateLine } from './date-line.js';

/**
 * Destroys connections after the grace, in milliseconds. Answers of the same event-loop turn still
 * go out first, because due timers run before.
 */
export const destroyAfter = (graceMs: number, cut: () => void): NodeJS.Timeout =>
  setTimeout(() => void setImmediate(cut), graceMs);

/** Serialized final HTTP/1.1 response of a connection, ready for one write. */
export const rejectionOctets = ({ status, headers, body }: RejectionAnswer): Buffer => {
  const octets = Buffer.from(body);
  const framing = ['Content-Length', String(octets.length), 'Connection', 'close'];
  const head = `${responseHeadText(status, [...headers, ...framing])}${dateLine()}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), octets]);
};

/**
 * Concurrent refusals of all listeners of an engine. Further connections are closed without an
 * answer.
 */
const maxUnderWay = 256;

/** TLS handshake timeout for a refused client. */
const handshakeMs = 2_000;

/** Time for a refused client to read its answer. */
const answerMs = 1_000;

/** Closes refused connections after sending the reason. */
export class ConnectionRefuser {
  readonly #underWay = new Map<StreamSocket, NodeJS.Timeout>();

  get size(): number {
    return this.#underWay.size;
  }

  /**
   * Takes an accepted connection. False if too many refusals are under way; the connection is then
   * closed.
   */
  begin(raw: StreamSocket): boolean {
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

  /** Sends the answer on `socket`: the connection itself, or the TLS socket on it. */
  answer(raw: StreamSocket, socket: StreamSocket, answer: RejectionAnswer): void {
    this.#endIn(raw, answerMs);
    socket.on('error', () => socket.destroy());
    if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') {
      refuseHttp2(socket, answer);
      return;
    }
    // Unread input would turn the close into a reset, which may overtake the answer.
    socket.resume();
    socket.end(rejectionOctets(answer));
  }

  #endIn(raw: StreamSocket, delayMs: number): void {
    // A closed socket emits no further event that would remove it from the set.
    if (raw.destroyed) return;
    clearTimeout(this.#underWay.get(raw));
    this.#underWay.set(
      raw,
      setTimeout(() => raw.destroy(), delayMs),
    );
  }
}
