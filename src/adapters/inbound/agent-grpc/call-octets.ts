import type { ServerHttp2Stream } from 'node:http2';
import type { Clock } from '../../../application/ports/shared/clock.js';

/** Error code CANCEL (RFC 9113, section 7). */
const cancelCode = 8;

/** The members of an HTTP/2 stream that CallOctets uses. */
export type CallStream = Pick<ServerHttp2Stream, 'closed' | 'destroyed' | 'writableLength' | 'close' | 'destroy'>;

/**
 * Octets that a call holds in incomplete or unhandled messages. Does not count octets that arrived
 * in the same DATA frame as the end of a message (at most 16 KiB).
 */
export class CallOctets {
  readonly #clock: Clock;
  readonly #stream: CallStream;
  #arriving = 0;
  #waiting = 0;
  #sinceMs: number | null = null;
  /** Called on every change. */
  onChange: () => void = () => {};

  constructor(stream: CallStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
  }

  get held(): number {
    return this.#arriving + this.#waiting;
  }

  get isWithinMessage(): boolean {
    return this.#arriving > 0;
  }

  /** Milliseconds since the first octet of the incomplete message; 0 if there is none. */
  get arrivingForMs(): number {
    return this.#sinceMs === null ? 0 : this.#clock.monotonicMs() - this.#sinceMs;
  }

  arrived(octets: number): void {
    this.#arriving += octets;
    this.#sinceMs ??= this.#clock.monotonicMs();
    this.onChange();
  }

  /** A message is complete and waits for its handler. */
  completed(octets: number): void {
    this.#arriving = 0;
    this.#sinceMs = null;
    this.#waiting += octets;
    this.onChange();
  }

  handled(octets: number): void {
    this.#waiting -= octets;
    this.onChange();
  }

  /**
   * Frees the stream of a finished call. The library leaves it open if the caller has not ended its
   * side or does not read.
   *
   * @param hasEnded whether the caller has ended its side; received octets then go with the stream
   */
  release(hasEnded: boolean): void {
    const stream = this.#stream;
    const isKeeping = stream.writableLength > 0 || (!hasEnded && this.held > 0);
    if (!isKeeping || stream.closed || stream.destroyed) return;
    // The status leaves first.
    setImmediate(() => {
      stream.close(cancelCode);
      // `close` resets the stream with the next write only; `destroy` frees output now.
      stream.destroy();
    });
  }

  /** Restarts the message timeout after a pause in reading, which the sender did not cause. */
  restartTime(): void {
    if (this.#sinceMs !== null) this.#sinceMs = this.#clock.monotonicMs();
  }
}
