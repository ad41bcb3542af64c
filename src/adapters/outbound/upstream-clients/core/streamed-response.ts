import { BodyReadError } from '../../../../application/ports/gateway/body-source.js';
import type { UpstreamFailure, UpstreamResponse } from '../../../../application/ports/gateway/upstream-client.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import type { ResponseLines } from '../../../wire/http1-responses/response-lines.js';
import { type Http1ResponseBody, ReceivedResponse } from './received-response.js';
import { readErrorCode } from './upstream-failures.js';

/**
 * Time that a head is held for its first body octets, in milliseconds. An upstream that breaks
 * right behind the head fails before the client sees it; a slow one is not waited for.
 */
const holdMs = 5;

/** Receives a response. */
export interface ResponseTaker {
  /** Called once, when the response may be forwarded. */
  take(response: UpstreamResponse): void;
}

/** A response whose body follows its head, or arrives in chunks. */
export class StreamedResponse {
  readonly #body: Http1ResponseBody;
  readonly #taker: ResponseTaker;
  /** The head until it is forwarded. */
  #held: ReceivedResponse | null;
  #holding: NodeJS.Timeout | null = null;
  /** Part of the body arrived. */
  #hasBegun = false;

  constructor(status: number, received: ResponseLines, body: Http1ResponseBody, taker: ResponseTaker) {
    this.#body = body;
    this.#taker = taker;
    this.#held = new ReceivedResponse(status, received, body, false);
  }

  /** The buffer is full; stop reading. */
  get isFull(): boolean {
    return this.#body.isFull;
  }

  /** All input so far is parsed and valid; a held head goes on with its first body octets. */
  noteRead(): void {
    if (this.#held === null) return;
    if (this.#hasBegun) this.#letGo(false);
    else this.#holding ??= setTimeout(() => this.#letGo(true), holdMs);
  }

  /** Data of the same read may still be malformed; do not forward the head yet. */
  push(piece: Uint8Array): void {
    this.#body.push(piece);
    this.#hasBegun = true;
  }

  end(trailers: HeaderList): void {
    this.#body.end(trailers);
    this.#letGo(false);
  }

  /**
   * Fails the body's reader. False if the response was not forwarded yet; it never will be then.
   */
  fail(failure: UpstreamFailure): boolean {
    const isUnheard = this.#held !== null;
    this.#held = null;
    this.#stopHolding();
    if (!isUnheard) this.#body.fail(new BodyReadError(readErrorCode(failure), failure.detail));
    return !isUnheard;
  }

  #letGo(isBodyLate: boolean): void {
    const held = this.#held;
    if (held === null) return;
    this.#held = null;
    this.#stopHolding();
    this.#taker.take(isBodyLate ? new ReceivedResponse(held.status, held.received, held.body, true) : held);
  }

  #stopHolding(): void {
    if (this.#holding !== null) clearTimeout(this.#holding);
    this.#holding = null;
  }
}
