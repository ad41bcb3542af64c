import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { BodyReadError, type BodySource } from '../../../../application/ports/body-source.js';
import type {
  UpstreamExchange,
  UpstreamFailure,
  UpstreamListener,
  UpstreamRequest,
  UpstreamResponse,
} from '../../../../application/ports/upstream-client.js';
import { listMembers } from '../../../../domain/http/field-list.js';
import { allHeaders, firstHeader, type HeaderList } from '../../../../domain/http/header-list.js';
import { withoutHopByHop } from '../../../../domain/http/hop-by-hop-headers.js';
import { responseFramingFault } from '../../../../domain/http/response-framing.js';
import { maxStatus } from '../pool/max-status.js';
import { RequestPatience } from '../pool/request-patience.js';
import type { ConnectionUser, TargetConnections } from '../pool/target-connections.js';
import type { Connection } from './connection.js';
import { classifyFailure, isLostConnection } from './failure-classification.js';
import { rawHeaderList } from './raw-header-list.js';
import { ResponseBody } from './response-body.js';

type Outgoing = Buffer | AsyncIterable<Uint8Array> | null;

/**
 * How long a head is held for the first of its body. An upstream that breaks right behind the head has failed before the
 * client heard of it; one that only takes its time is not waited for.
 */
const holdMs = 5;

/** Methods that may be sent again without asking (RFC 9110, section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const isClose = (option: string): boolean => option.toLowerCase() === 'close';

/** What the reader of a body is told of a failure that came after the head. */
const readErrorCode = ({ code }: UpstreamFailure): BodyReadError['code'] => {
  if (code === 'timed_out') return 'timed_out';
  return code === 'invalid_response' ? 'malformed' : 'aborted';
};

/** One request on its way to a target, as undici's handler and as the port's exchange. */
export class UndiciExchange implements UpstreamExchange, ConnectionUser<Connection>, Dispatcher.DispatchHandler {
  readonly #request: UpstreamRequest;
  readonly #listener: UpstreamListener;
  readonly #connections: TargetConnections<Connection>;
  #outgoing: Outgoing = null;
  #connection: Connection | null = null;
  /** How often the target had been taken out when the request was begun. */
  readonly #turnAwaysBefore: number;
  readonly #patience: RequestPatience;
  #hasWaited = false;
  /** Null until undici has begun to write the request. */
  #controller: Dispatcher.DispatchController | null = null;
  /** Octets that the connection had brought before. */
  #octetsBefore = 0;
  #isRepeated = false;
  #hasHead = false;
  /** Only the end of the connection ends the response (RFC 9112, section 6.3). */
  #isCloseDelimited = false;
  /** A head that has come, while the first of its body is awaited. */
  #held: UpstreamResponse | null = null;
  #body: ResponseBody | null = null;
  /** Once protocols are switched: the exchange ends, and the connection is free, when it closes. */
  #tunnel: Duplex | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Set where the gateway itself ended the exchange: what undici then reports is only the echo. */
  #ownFailure: UpstreamFailure | null = null;
  /** The listener knows what has become of it, or soon will. */
  #isTold = false;
  #isEnded = false;

  constructor(request: UpstreamRequest, listener: UpstreamListener, connections: TargetConnections<Connection>) {
    this.#request = request;
    this.#listener = listener;
    this.#connections = connections;
    this.#patience = new RequestPatience(request);
    this.#turnAwaysBefore = connections.turnAways;
  }

  start(): void {
    const { body } = this.#request;
    if (body === null) this.#requestConnection(null);
    else void this.#beginBody(body);
  }

  cancel(): void {
    this.#abort({ code: 'cancelled', detail: 'the request is no longer wanted' });
  }

  giveUp(): void {
    this.#abort({ code: 'cancelled', detail: 'the connections to the target are closed' });
  }

  turnAway(): void {
    this.#abort({ code: 'overloaded', isTurnedAway: true, detail: 'the target was taken out' });
  }

  use(connection: Connection): void {
    const refusal = this.#hasWaited ? this.#patience.refusal() : null;
    if (refusal !== null) {
      this.#abort(refusal);
      this.#connections.giveBack(connection);
      return;
    }
    this.#connection = connection;
    this.#patience.noteAsked();
    this.#dispatch(connection);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown here, undici takes the request back and keeps the connection; aborted, it would close it.
    if (this.#ownFailure) throw new Error(this.#ownFailure.detail);
    this.#controller = controller;
    const socket = this.#connection?.socket;
    this.#octetsBefore = socket?.bytesRead ?? 0;
    socket?.expectHead();
  }

  onRequestUpgrade(controller: Dispatcher.DispatchController, status: number, _headers: unknown, socket: Duplex): void {
    this.#tunnel = socket;
    // What the client still sends goes on when the upstream has said its last.
    socket.allowHalfOpen = true;
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#end());
    this.#clearTimer();
    const headers = rawHeaderList(controller.rawHeaders);
    this.#tell({ status, headers, received: null, body: null, isBodyLate: false, tunnel: socket });
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    const headers = rawHeaderList(controller.rawHeaders);
    if (status < 200) {
      this.#tellInterim(status, headers);
      return;
    }
    this.#clearTimer();
    const fault =
      status > maxStatus
        ? 'status_out_of_range'
        : responseFramingFault(headers, this.#connection?.socket?.responseVersion ?? '');
    if (fault !== null) {
      this.#abort({ code: 'invalid_response', detail: fault });
      return;
    }
    this.#hasHead = true;
    if (this.#request.method === 'HEAD' || status === 204 || status === 304) {
      this.#tell({ status, headers, received: null, body: null, isBodyLate: false, tunnel: null });
      return;
    }
    const length = firstHeader(headers, 'content-length');
    this.#isCloseDelimited = length === undefined && firstHeader(headers, 'transfer-encoding') === undefined;
    this.#body = new ResponseBody(controller, length === undefined ? null : Number(length));
    this.#held = { status, headers, received: null, body: this.#body, isBodyLate: false, tunnel: null };
    this.#timer = setTimeout(() => this.#letGo(true), holdMs);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
    this.#letGo();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    // undici takes a reset for an end where it waits for the connection to close; nothing tells that this was all of it.
    if (this.#isCloseDelimited && this.#connection?.socket?.isBroken) {
      this.onResponseError(controller, new Error('the connection was reset'));
      return;
    }
    const trailers = rawHeaderList(controller.rawTrailers);
    // undici's parser would read the next response by a framing field in the trailers of this one.
    if (withoutHopByHop(trailers) !== trailers) this.#connection?.socket?.destroy();
    this.#body?.end(trailers);
    this.#letGo();
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isEnded) return;
    if (this.#connection && this.#mayRepeat(error)) {
      this.#repeat(this.#connection);
      return;
    }
    const failure = this.#ownFailure ?? { ...this.#classified(error), neverSent: this.#isUnsent };
    if (this.#body && !this.#held) this.#body.fail(new BodyReadError(readErrorCode(failure), failure.detail));
    else this.#tellFailure(failure);
    this.#end();
  }

  /** undici has written nothing of it: it writes once it has called `onRequestStart`. */
  get #isUnsent(): boolean {
    return this.#controller === null && !this.#isRepeated;
  }

  /**
   * Whether the upstream had closed the connection, which had served before, without an octet for this request: it was
   * closing while the request was on its way, and has most likely never seen it. A safe request is sent once more, if
   * it may be.
   */
  #mayRepeat(error: Error): boolean {
    return (
      !this.#isRepeated &&
      this.#ownFailure === null &&
      this.#controller !== null &&
      this.#request.body === null &&
      safeMethods.has(this.#request.method) &&
      this.#octetsBefore > 0 &&
      this.#connection?.socket?.bytesRead === this.#octetsBefore &&
      isLostConnection(error) &&
      // Last, because it takes a retry of those that there are.
      this.#listener.mayRepeat()
    );
  }

  /** Not here and now: undici is about to tell itself that the connection is gone. */
  #repeat(connection: Connection): void {
    this.#isRepeated = true;
    this.#controller = null;
    queueMicrotask(() => {
      if (this.#ownFailure) this.#end();
      else this.#dispatch(connection);
    });
  }

  #dispatch(connection: Connection): void {
    const { method, target, headers, upgradeToWebSocket } = this.#request;
    const hasHost = firstHeader(headers, 'host') !== undefined;
    connection.dispatch(
      {
        method: method as Dispatcher.HttpMethod,
        path: target,
        headers: (hasHost ? headers : ['Host', connection.authority, ...headers]) as string[],
        // undici's types name only some of the bodies that its documentation gives.
        body: this.#outgoing as Buffer | null,
        upgrade: upgradeToWebSocket ? 'websocket' : null,
        // undici would close the connection after a HEAD, for upstreams that send a body with its answer.
        ...(upgradeToWebSocket ? {} : { reset: false }),
      },
      this,
    );
  }

  #requestConnection(outgoing: Outgoing): void {
    if (this.#connections.turnAways !== this.#turnAwaysBefore) {
      this.turnAway();
      return;
    }
    this.#outgoing = outgoing;
    this.#patience.begin();
    this.#startTimer();
    if (this.#connections.request(this)) {
      this.#hasWaited = this.#connection === null;
      return;
    }
    this.#tellFailure({ code: 'overloaded', neverSent: true, detail: 'every connection is busy and so is the queue' });
    this.#end();
  }

  /** A body that is there in one piece goes with the head in one write; any other is pulled as the upstream takes it. */
  async #beginBody(body: BodySource): Promise<void> {
    let first: Uint8Array | null;
    try {
      first = await body.read();
    } catch (error) {
      this.#tellFailure(this.#classified(error));
      this.#end();
      return;
    }
    if (this.#isEnded) return;
    if (first !== null && first.length === body.declaredLength) {
      this.#requestConnection(Buffer.from(first.buffer, first.byteOffset, first.length));
    } else {
      this.#requestConnection(this.#pieces(first, body));
    }
  }

  /** While it is sent, the request is watched by the silence of its client and, in undici, of the upstream. */
  async *#pieces(first: Uint8Array | null, body: BodySource): AsyncGenerator<Uint8Array> {
    this.#clearTimer();
    for (let piece = first; piece !== null; piece = await body.read()) yield piece;
    // The answer may have come, or even ended, before the request has.
    if (this.#hasHead || this.#isEnded) return;
    this.#patience.noteAsked();
    this.#startTimer();
  }

  /** Counts the wait for a connection; of a body in pieces then what comes after the last one. */
  #startTimer(): void {
    const { timeoutMs } = this.#request;
    const overMs = performance.now() + timeoutMs;
    this.#timer ??= setTimeout(() => this.#abort(this.#patience.lateness(this.#missing, overMs)), timeoutMs);
  }

  /** What the request waits for. */
  get #missing(): 'free connection' | 'connection' | 'answer' {
    if (this.#connection === null) return 'free connection';
    return this.#isUnsent ? 'connection' : 'answer';
  }

  #classified(error: unknown): UpstreamFailure {
    return classifyFailure(error, this.#connection?.readMs ?? 0);
  }

  #clearTimer(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #letGo(isBodyLate = false): void {
    if (this.#held === null) return;
    const response = { ...this.#held, isBodyLate };
    this.#held = null;
    this.#clearTimer();
    this.#tell(response);
  }

  #abort(failure: UpstreamFailure): void {
    if (this.#isEnded) return;
    if (this.#tunnel !== null) {
      this.#tunnel.destroy();
      return;
    }
    this.#ownFailure ??= { ...failure, neverSent: this.#isUnsent };
    this.#clearTimer();
    if (this.#connection === null) {
      this.#connections.forget(this);
      this.#isEnded = true;
    } else {
      // Where the connection is only being made, undici comes back to the request when it stands.
      this.#controller?.abort(new Error(failure.detail));
    }
    this.#tellFailure(this.#ownFailure);
  }

  /** Not from within undici's parser: whoever is told may send the next request on the same connection. */
  #tell(response: UpstreamResponse): void {
    if (this.#isTold) return;
    this.#isTold = true;
    queueMicrotask(() => this.#listener.answered(response));
  }

  #tellInterim(status: number, headers: HeaderList): void {
    // Nothing can come behind one that closes, which undici does.
    const closes = allHeaders(headers, 'connection').some((value) => listMembers(value).some(isClose));
    if (!this.#isTold && !closes) queueMicrotask(() => this.#listener.informed(status, headers));
  }

  #tellFailure(failure: UpstreamFailure): void {
    if (this.#isTold) return;
    this.#isTold = true;
    queueMicrotask(() => this.#listener.failed(failure));
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#clearTimer();
    if (this.#connection) this.#connections.giveBack(this.#connection);
  }
}
