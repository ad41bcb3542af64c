import { BodyReadError, type BodySource } from '../../../../application/ports/gateway/body-source.js';
import type { UpstreamFailure } from '../../../../application/ports/gateway/upstream-client.js';
import { chunkEnd, chunkStart, lastChunk } from '../../../wire/http1/head-text.js';
import type { UpstreamConnection } from './upstream-connection.js';
import { bodyFailure, refused } from './upstream-failures.js';
import { BodyLengthError, unknownLength } from './upstream-request-head.js';

/** Bodies up to this size are copied behind their head for one write. */
export const maxJoinedOctets = 16_384;

/** Observes the sending of a body. */
export interface BodySending {
  /** The body is sent separately from its head; progress calls follow. */
  bodyBegun(): void;
  /** The upstream stopped or resumed reading. */
  waitsForUpstream(isWaiting: boolean): void;
  /** The last octet is written. */
  bodySent(): void;
  bodyFailed(failure: UpstreamFailure): void;
}

/** Joins latin1 text and octets into one buffer. */
export const joinedChunks = (text: string, octets: Uint8Array, end: string): Buffer => {
  const buffer = Buffer.allocUnsafe(text.length + octets.length + end.length);
  buffer.write(text, 0, 'latin1');
  buffer.set(octets, text.length);
  if (end !== '') buffer.write(end, text.length + octets.length, 'latin1');
  return buffer;
};

/** Sends a body in chunks at the upstream's pace. */
export class RequestBodySender {
  readonly #connection: UpstreamConnection;
  readonly #body: BodySource;
  /** Octets, or `unknownLength`. */
  readonly #length: number;
  readonly #sending: BodySending;
  #sent = 0;
  #isStopped = false;
  #isWhole = false;
  #goOn: (() => void) | null = null;

  constructor(connection: UpstreamConnection, body: BodySource, length: number, sending: BodySending) {
    this.#connection = connection;
    this.#body = body;
    this.#length = length;
    this.#sending = sending;
  }

  /** @param first the first chunk, already read; null if there is none */
  start(first: Uint8Array | null): void {
    this.#send(first).then(
      () => {
        if (this.#isWhole && !this.#isStopped) this.#sending.bodySent();
      },
      (error: unknown) => {
        if (this.#isStopped) return;
        this.#sending.bodyFailed(error instanceof BodyReadError ? bodyFailure(error) : refused(error));
      },
    );
  }

  /** The last octet is written and no write failed. */
  get isWhole(): boolean {
    return this.#isWhole && !this.#connection.isWriteBroken;
  }

  /** Stops sending. */
  stop(): void {
    this.#isStopped = true;
    this.drained();
  }

  /** Pending writes are done. */
  drained(): void {
    this.#goOn?.();
    this.#goOn = null;
  }

  async #send(first: Uint8Array | null): Promise<void> {
    for (let piece = first; piece !== null; ) {
      if (this.#isStopped) return;
      // An empty chunk would end the body.
      if (piece.length > 0) this.#write(piece);
      if (this.#connection.isFull) await this.#drain();
      if (this.#isStopped) return;
      const next = this.#body.read();
      piece = next instanceof Promise ? await next : next;
    }
    if (this.#isStopped) return;
    if (this.#length === unknownLength) this.#connection.write(lastChunk([]));
    else if (this.#sent !== this.#length) throw new BodyLengthError();
    this.#isWhole = true;
  }

  #write(piece: Uint8Array): void {
    this.#sent += piece.length;
    const connection = this.#connection;
    if (this.#length !== unknownLength) {
      if (this.#sent > this.#length) throw new BodyLengthError();
      connection.write(piece);
    } else if (piece.length <= maxJoinedOctets) {
      connection.write(joinedChunks(chunkStart(piece.length), piece, chunkEnd));
    } else {
      connection.cork();
      connection.write(chunkStart(piece.length));
      connection.write(piece);
      connection.write(chunkEnd);
      connection.uncork();
    }
  }

  async #drain(): Promise<void> {
    this.#sending.waitsForUpstream(true);
    await new Promise<void>((resolve) => {
      this.#goOn = resolve;
    });
    if (!this.#isStopped) this.#sending.waitsForUpstream(false);
  }
}
