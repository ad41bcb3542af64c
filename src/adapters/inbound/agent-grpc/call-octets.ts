import type { ServerHttp2Stream } from 'node:http2';
import type { Clock } from '../../../application/ports/shared/clock.js';

/** CANCEL (RFC 9113, 7). */
const cancelCode = 8;

/** The stream that carries a call, as far as memory is concerned. */
export type CallStream = Pick<ServerHttp2Stream, 'closed' | 'destroyed' | 'writableLength' | 'close' | 'destroy'>;

/**
 * What a call holds of messages that are not complete or not handled, in octets. What came in one frame with the end of
 * a message is not counted, which is 16 KiB at most.
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

  /** How long a message has been coming; 0 while there is none. */
  get arrivingForMs(): number {
    return this.#sinceMs === null ? 0 : this.#clock.monotonicMs() - this.#sinceMs;
  }

  arrived(octets: number): void {
    this.#arriving += octets;
    this.#sinceMs ??= this.#clock.monotonicMs();
    this.onChange();
  }

  /** A message is complete; it waits to be handled. */
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
   * For a call that is over: frees what its stream keeps, which the library leaves open where the caller has not
   * ended its side, or does not read.
   *
   * @param hasEnded whether the caller has ended its side, so that what came goes with the stream
   */
  release(hasEnded: boolean): void {
    const stream = this.#stream;
    const isKeeping = stream.writableLength > 0 || (!hasEnded && this.held > 0);
    if (!isKeeping || stream.closed || stream.destroyed) return;
    // The status that was just sent leaves first.
    setImmediate(() => {
      stream.close(cancelCode);
      // Node tells the peer with the next octets that it sends; what waits for the peer is to be freed at once.
      stream.destroy();
    });
  }

  /** For a while nothing was read, which is not the sender's doing. */
  restartTime(): void {
    if (this.#sinceMs !== null) this.#sinceMs = this.#clock.monotonicMs();
  }
}
