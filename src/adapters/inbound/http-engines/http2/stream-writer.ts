import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Deadlines } from '../core/deadlines.js';
import { Deadline } from './deadline.js';
import type { PayloadMeter } from './session-options.js';

/** Octets that are written at a time: how far a client is shows after each. */
const maxPiece = 32_768;

/** How long the reset of a stream may take to go out, in milliseconds. */
const cutGraceMs = 1_000;

/** What the streams of a connection have in common that is written to. */
export interface WrittenConnection {
  readonly socket: Socket;
  readonly deadlines: Deadlines;
  readonly meter: PayloadMeter;
  /** Streams that are open. */
  readonly size: number;
}

/** Writes the body of a response, as fast as its client takes it. One that takes nothing for too long is cut off. */
export class StreamWriter {
  readonly #stream: ServerHttp2Stream;
  readonly #connection: WrittenConnection;
  readonly #timeoutMs: number;
  readonly #deadline = new Deadline(() => this.#look());
  /** Octets of body that were taken, written or about to be. */
  octets = 0;
  /** Of them, those that were handed to the stream. */
  #written = 0;
  #stand = '';
  #isEnding = false;
  #isWriting = false;
  /** Its end is a reset of this side's. */
  isCut = false;

  /** `timeoutMs`: how long a client may take nothing. */
  constructor(stream: ServerHttp2Stream, connection: WrittenConnection, timeoutMs: number) {
    this.#stream = stream;
    this.#connection = connection;
    this.#timeoutMs = timeoutMs;
    stream.on('close', () => connection.deadlines.remove(this.#deadline));
  }

  /** Resolves when more can be taken; undefined: it can be now. One piece at a time. */
  write(chunk: Uint8Array): Promise<void> | undefined {
    this.octets += chunk.length;
    this.#connection.meter.octets += chunk.length;
    if (chunk.length > maxPiece) return this.#writeInPieces(chunk);
    if (this.#put(chunk)) return undefined;
    return this.#drained();
  }

  /** Ends the stream when all has been written. */
  end(): void {
    this.#isEnding = true;
    if (!this.#isWriting) this.#end();
  }

  /**
   * Ends the stream where it stands, with RST_STREAM. On a connection that has ended in all but name nobody tells that it
   * has gone out: it is over then a little later.
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

  /** Changes as long as the client takes something. What goes out on the connection is this stream's where it is the only one. */
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
