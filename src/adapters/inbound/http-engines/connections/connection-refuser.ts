import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { RejectionAnswer } from '../../../../application/ports/gateway/http-engine.js';
import { refuseHttp2 } from '../http2/refuse-http2.js';
import { rejectionOctets } from './rejection-octets.js';

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
