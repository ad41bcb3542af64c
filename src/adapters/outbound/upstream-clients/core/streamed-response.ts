import { BodyReadError } from '../../../../application/ports/gateway/body-source.js';
import type { UpstreamFailure, UpstreamResponse } from '../../../../application/ports/gateway/upstream-client.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import type { ResponseLines } from '../../../wire/http1-responses/response-lines.js';
import type { Http1ResponseBody } from './http1-response-body.js';
import { ReceivedResponse, readErrorCode } from './upstream-failures.js';

/**
 * How long a head is held for the first of its body. An upstream that breaks right behind the head has failed before the
 * client heard of it; one that only takes its time is not waited for.
 */
const holdMs = 5;

/** Who a response goes on to. */
export interface ResponseTaker {
  /** Called once, when the response may go on to the client. */
  take(response: UpstreamResponse): void;
}

/** A response whose body comes after its head, or in pieces. */
export class StreamedResponse {
  readonly #body: Http1ResponseBody;
  readonly #taker: ResponseTaker;
  /** The head, until it is told of. */
  #held: ReceivedResponse | null;
  #holding: NodeJS.Timeout | null = null;
  /** Some of its body has come. */
  #hasBegun = false;

  constructor(status: number, received: ResponseLines, body: Http1ResponseBody, taker: ResponseTaker) {
    this.#body = body;
    this.#taker = taker;
    this.#held = new ReceivedResponse(status, received, body, false);
  }

  /** So much waits that nothing more should be read for now. */
  get isFull(): boolean {
    return this.#body.isFull;
  }

  /** All that has come is read, and sound: a head goes on with the first of its body, which it is held for. */
  noteRead(): void {
    if (this.#held === null) return;
    if (this.#hasBegun) this.#letGo(false);
    else this.#holding ??= setTimeout(() => this.#letGo(true), holdMs);
  }

  /** What came with it may still be faulty, so the head does not go on yet. */
  push(piece: Uint8Array): void {
    this.#body.push(piece);
    this.#hasBegun = true;
  }

  end(trailers: HeaderList): void {
    this.#body.end(trailers);
    this.#letGo(false);
  }

  /** Tells the reader of the body of it. False where nobody has heard of the response yet: then nobody will. */
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
