import type { BodySource } from '../../../../application/ports/gateway/body-source.js';
import type { UpstreamFailure, UpstreamRequest } from '../../../../application/ports/gateway/upstream-client.js';
import { type BodySending, joinedChunks, maxJoinedOctets, RequestBodySender } from './request-body-sender.js';
import type { UpstreamConnection } from './upstream-connection.js';
import { bodyFailure } from './upstream-failures.js';
import { type HostOfTarget, lengthInPieces, upstreamRequestHead } from './upstream-request-head.js';

/** Receives the first chunk of a body; exactly one method is called, once. */
export interface FirstPieceTaker {
  /** @param first null for an empty body */
  firstPiece(body: BodySource, first: Uint8Array | null): void;
  bodyFailed(failure: UpstreamFailure): void;
}

/** Reads the first chunk; calls the taker synchronously if it is available. */
export const readFirstPiece = (body: BodySource, taker: FirstPieceTaker): void => {
  let first: Uint8Array | null | Promise<Uint8Array | null>;
  try {
    first = body.read();
  } catch (error) {
    taker.bodyFailed(bodyFailure(error));
    return;
  }
  if (!(first instanceof Promise)) taker.firstPiece(body, first);
  else {
    first.then(
      (piece) => taker.firstPiece(body, piece),
      (error: unknown) => taker.bodyFailed(bodyFailure(error)),
    );
  }
};

/** A request with a body, ready to be written. */
export class OutgoingBody {
  readonly #head: string;
  /** A body that is one chunk. */
  readonly #whole: Uint8Array | null = null;
  /** Any other body, read while it is sent. */
  readonly #rest: BodySource | null = null;
  readonly #first: Uint8Array | null = null;
  readonly #length: number = 0;
  #sender: RequestBodySender | null = null;
  #isWhole = false;
  /** Notified when a one-chunk body is written; null if the kernel took it at once. */
  #awaitsDrain: BodySending | null = null;

  /**
   * Throws if the request cannot be sent as it is.
   * @param first the first chunk of the body
   */
  constructor(request: UpstreamRequest, host: HostOfTarget, body: BodySource, first: Uint8Array | null) {
    if (first !== null && first.length === body.declaredLength) {
      this.#whole = first;
      this.#length = first.length;
    } else if (first !== null) {
      this.#rest = body;
      this.#first = first;
      this.#length = lengthInPieces(request);
    }
    this.#head = upstreamRequestHead(request, host, this.#length);
  }

  /** Writes the request, or starts to. */
  writeTo(connection: UpstreamConnection, sending: BodySending): void {
    connection.forgiveWrites();
    if (this.#rest !== null) {
      sending.bodyBegun();
      connection.write(this.#head);
      this.#sender = new RequestBodySender(connection, this.#rest, this.#length, sending);
      this.#sender.start(this.#first);
      return;
    }
    this.#isWhole = true;
    if (this.#whole === null) connection.deferWrite(this.#head);
    else this.#writeWhole(connection, this.#whole);
    if (!connection.isFull) return;
    this.#awaitsDrain = sending;
    sending.bodyBegun();
    sending.waitsForUpstream(true);
  }

  /** Pending writes are done. */
  drained(): void {
    this.#sender?.drained();
    const sending = this.#awaitsDrain;
    this.#awaitsDrain = null;
    sending?.waitsForUpstream(false);
    sending?.bodySent();
  }

  /** Stops sending. True if the whole request is already handed to the socket. */
  stop(): boolean {
    this.#sender?.stop();
    return this.#sender === null ? this.#isWhole : this.#sender.isWhole;
  }

  #writeWhole(connection: UpstreamConnection, whole: Uint8Array): void {
    if (whole.length <= maxJoinedOctets) {
      connection.deferWrite(joinedChunks(this.#head, whole, ''));
      return;
    }
    connection.cork();
    connection.write(this.#head);
    connection.write(whole);
    connection.uncork();
  }
}
