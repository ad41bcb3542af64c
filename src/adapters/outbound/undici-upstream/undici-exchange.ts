import type { Duplex } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { BodyReadError, type BodySource } from '../../../application/ports/body-source.js';
import type {
  UpstreamExchange,
  UpstreamFailure,
  UpstreamFailureCode,
  UpstreamRequest,
  UpstreamResponse,
} from '../../../application/ports/upstream-client.js';
import { firstHeader, type HeaderList } from '../../../domain/http/header-list.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { classifyFailure } from './failure-classification.js';
import { ResponseBody } from './response-body.js';

type Outcome = Result<UpstreamResponse, UpstreamFailure>;

/** One request on its way to a target, as undici's handler and as the port's exchange. */
export class UndiciExchange implements UpstreamExchange, Dispatcher.DispatchHandler {
  readonly response: Promise<Outcome>;
  readonly #request: UpstreamRequest;
  readonly #onEnd: () => void;
  #resolve!: (outcome: Outcome) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #body: ResponseBody | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Set where the gateway itself ended the exchange: what undici then reports is only the echo. */
  #ownReason: UpstreamFailureCode | null = null;
  #ended = false;

  /** `onEnd` is called once, when the connection is free again or gone. */
  constructor(request: UpstreamRequest, onEnd: () => void) {
    this.#request = request;
    this.#onEnd = onEnd;
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  start(pool: Pool): void {
    const { body } = this.#request;
    if (body === null) {
      this.#startTimer();
      this.#dispatch(pool, null);
    } else {
      void this.#dispatchWithBody(pool, body);
    }
  }

  cancel(): void {
    this.#abort('cancelled');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ownReason) controller.abort(new Error(this.#ownReason));
  }

  onRequestUpgrade(controller: Dispatcher.DispatchController, status: number, _headers: unknown, socket: Duplex): void {
    socket.on('error', () => socket.destroy());
    this.#clearTimer();
    this.#resolve(ok({ status, headers: headerList(controller.rawHeaders), body: null, tunnel: socket }));
    this.#end();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    // Interim responses (RFC 9110, section 15.2) are the gateway's own business: only the final one goes on.
    if (status < 200) return;
    this.#clearTimer();
    const headers = headerList(controller.rawHeaders);
    if (this.#request.method === 'HEAD' || status === 204 || status === 304) {
      this.#resolve(ok({ status, headers, body: null, tunnel: null }));
      return;
    }
    const length = firstHeader(headers, 'content-length');
    this.#body = new ResponseBody(controller, length === undefined ? null : Number(length));
    this.#resolve(ok({ status, headers, body: this.#body, tunnel: null }));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.#body?.end(headerList(controller.rawTrailers));
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#clearTimer();
    const failure = this.#ownReason
      ? { code: this.#ownReason, detail: 'ended by the gateway' }
      : classifyFailure(error);
    if (this.#body) this.#body.fail(new BodyReadError('aborted', failure.detail));
    else this.#resolve(err(failure));
    this.#end();
  }

  #dispatch(pool: Pool, body: Buffer | AsyncIterable<Uint8Array> | null): void {
    const { method, target, headers, upgradeToWebSocket } = this.#request;
    try {
      pool.dispatch(
        {
          method: method as Dispatcher.HttpMethod,
          path: target,
          headers: headers as string[],
          // undici's types name only some of the bodies that its documentation gives.
          body: body as Buffer | null,
          upgrade: upgradeToWebSocket ? 'websocket' : null,
        },
        this,
      );
    } catch (error) {
      this.#clearTimer();
      this.#resolve(err(classifyFailure(error)));
      this.#end();
    }
  }

  /** A body that is there in one piece goes with the head in one write; any other is pulled as the upstream takes it. */
  async #dispatchWithBody(pool: Pool, body: BodySource): Promise<void> {
    let first: Uint8Array | null;
    try {
      first = await body.read();
    } catch (error) {
      this.#resolve(err(classifyFailure(error)));
      this.#end();
      return;
    }
    if (this.#ownReason) {
      this.#resolve(err({ code: this.#ownReason, detail: 'ended by the gateway' }));
      this.#end();
    } else if (first !== null && first.length === body.declaredLength) {
      this.#startTimer();
      this.#dispatch(pool, Buffer.from(first.buffer, first.byteOffset, first.length));
    } else {
      this.#startTimer();
      this.#dispatch(pool, this.#pieces(first, body));
    }
  }

  /** While it is sent, the request is watched by the silence of its client and, in undici, of the upstream. */
  async *#pieces(first: Uint8Array | null, body: BodySource): AsyncGenerator<Uint8Array> {
    this.#clearTimer();
    for (let piece = first; piece !== null; piece = await body.read()) yield piece;
    this.#startTimer();
  }

  /** The time-out counts the wait for a connection, and then from the moment when the request has been sent whole. */
  #startTimer(): void {
    this.#timer ??= setTimeout(() => this.#abort('timed_out'), this.#request.timeoutMs);
  }

  #clearTimer(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #abort(reason: UpstreamFailureCode): void {
    if (this.#ended) return;
    this.#ownReason = reason;
    this.#controller?.abort(new Error(reason));
    // A request that still waits for a connection hears of it when its turn comes; its caller need not wait so long.
    this.#clearTimer();
    this.#resolve(err({ code: reason, detail: 'ended by the gateway' }));
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#clearTimer();
    this.#onEnd();
  }
}

/** undici gives raw fields as octets, name and value in turn. */
const headerList = (raw: Dispatcher.DispatchController['rawHeaders']): HeaderList => {
  if (!Array.isArray(raw)) return [];
  const list: string[] = new Array(raw.length);
  for (let index = 0; index < raw.length; index += 1) {
    const part = raw[index] as Buffer | string;
    list[index] = typeof part === 'string' ? part : part.toString('latin1');
  }
  return list;
};
