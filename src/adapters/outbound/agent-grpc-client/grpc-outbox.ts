import type { Writable } from 'node:stream';
import { messagePrefixBytes } from '../../wire/agent-grpc/prefixed-message-decoder.js';

/** Messages of one turn of the event loop go out together up to here; a larger one is not worth copying. */
const joinedBytes = 65_536;

/** Writes messages, each behind its prefix, those of one turn together; and knows how much of them has not left. */
export class GrpcOutbox {
  readonly #stream: Writable;
  readonly #onLeft: () => void;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #pendingBytes = 0;

  /** @param onLeft called whenever some of it has left */
  constructor(stream: Writable, onLeft: () => void) {
    this.#stream = stream;
    this.#onLeft = onLeft;
  }

  /** Octets that have not left. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  send(message: Uint8Array): void {
    const prefix = Buffer.alloc(messagePrefixBytes);
    prefix.writeUInt32BE(message.length, 1);
    if (this.#waiting.length === 0) process.nextTick(() => this.flush());
    this.#waiting.push(prefix, message);
    const octets = messagePrefixBytes + message.length;
    this.#pendingBytes += octets;
    this.#waitingBytes += octets;
    if (this.#waitingBytes >= joinedBytes) this.flush();
  }

  flush(): void {
    const [waiting, octets] = [this.#waiting, this.#waitingBytes];
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (waiting.length === 0 || !this.#stream.writable) return;
    this.#stream.write(Buffer.concat(waiting, octets), () => {
      this.#pendingBytes -= octets;
      this.#onLeft();
    });
  }
}
