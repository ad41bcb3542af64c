import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Deadline, type Deadlines } from '../connections/deadlines.js';
import type { PayloadMeter } from './session-options.js';

/** Octets per write; progress is measured after each. */
const maxPiece = 32_768;

/** Time for a stream reset to go out, in milliseconds. */
const cutGraceMs = 1_000;

/** What the streams of a connection share for writing. */
export interface WrittenConnection {
  readonly socket: Socket;
  readonly deadlines: Deadlines;
  readonly meter: PayloadMeter;
  /** Open streams. */
  readonly size: number;
}

/** Writes a response body at the client's pace; cuts off a client that reads nothing. */
export class StreamWriter {
  readonly #stream: ServerHttp2Stream;
  readonly #connection: WrittenConnection;
  readonly #timeoutMs: number;
  readonly #deadline = new Deadline(() => this.#look());
  /** Accepted octets of the body, written or queued. */
  octets = 0;
  /** Octets handed to the stream. */
  #written = 0;
  #stand = '';
  #isEnding = false;
  #isWriting = false;
  /** This side reset the stream. */
  isCut = false;

  /** @param timeoutMs longest time without progress */
  constructor(stream: ServerHttp2Stream, connection: WrittenConnection, timeoutMs: number) {
    this.#stream = stream;
    this.#connection = connection;
    this.#timeoutMs = timeoutMs;
    stream.on('close', () => connection.deadlines.remove(this.#deadline));
  }

  /** Resolves when more can be accepted; undefined if it can be now. One chunk at a time. */
  write(chunk: Uint8Array): Promise<void> | undefined {
    this.octets += chunk.length;
    this.#connection.meter.octets += chunk.length;
    if (chunk.length > maxPiece) return this.#writeInPieces(chunk);
    if (this.#put(chunk)) return undefined;
    return this.#drained();
  }

  /** Ends the stream after all writes. */
  end(): void {
    this.#isEnding = true;
    if (!this.#isWriting) this.#end();
  }

  /**
   * Resets the stream with RST_STREAM. On a dead connection no event confirms it; the stream then
   * ends after a short timeout.
   */
  cut(code: number): void {
    const { deadlines } = this.#connection;
    this.isCut = true;
    this.#stream.close(code);
    if (!this.#stream.destroyed) deadlines.set(this.#deadline, performance.now() + cutGraceMs);
  }

  async #writeInPieces(chunk: Uint8Array): Promise<void> {
    this.#isWriting = true;
    for (let start = 0; start < chunk.length && !this.#isOver; start += maxPiece) {
      if (!this.#put(chunk.subarray(start, start + maxPiece))) await this.#drained();
    }
    this.#isWriting = false;
    if (this.#isEnding) this.#end();
  }

  get #isOver(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  #put(piece: Uint8Array): boolean {
    if (this.#isOver) return true;
    this.#written += piece.length;
    return this.#stream.write(piece) || this.#stream.destroyed;
  }

  #end(): void {
    const stream = this.#stream;
    if (this.#isOver) return;
    stream.end();
    if (!stream.writableFinished) this.#watch();
    stream.once('finish', () => {
      if (!this.isCut) this.#connection.deadlines.remove(this.#deadline);
    });
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const stream = this.#stream;
      const settle = (): void => {
        if (!this.isCut) this.#connection.deadlines.remove(this.#deadline);
        stream.off('drain', settle);
        stream.off('close', settle);
        resolve();
      };
      stream.on('drain', settle);
      stream.on('close', settle);
      this.#watch();
    });
  }

  #watch(): void {
    this.#stand = this.#standNow();
    this.#connection.deadlines.set(this.#deadline, performance.now() + this.#timeoutMs);
  }

  /** A token that changes on progress. With one open stream, connection progress counts too. */
  #standNow(): string {
    const { socket, size } = this.#connection;
    return `${this.#written - this.#stream.writableLength} ${size === 1 ? socket.bytesWritten : ''}`;
  }

  #look(): void {
    if (this.isCut) {
      this.#stream.destroy();
      return;
    }
    const stand = this.#standNow();
    if (stand !== this.#stand) {
      this.#stand = stand;
      this.#connection.deadlines.set(this.#deadline, performance.now() + this.#timeoutMs);
    } else this.cut(constants.NGHTTP2_CANCEL);
  }
}
