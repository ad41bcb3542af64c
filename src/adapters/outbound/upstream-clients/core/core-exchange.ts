import type { BodySource } from '../../../../application/ports/gateway/body-source.js';
import type {
  TargetClientOptions,
  UpstreamExchange,
  UpstreamFailure,
  UpstreamListener,
  UpstreamRequest,
  UpstreamResponse,
} from '../../../../application/ports/gateway/upstream-client.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';
import { turnMs } from '../../../event-loop-batching/event-loop-turn.js';
import type { ResponseLines } from '../../../wire/http1-responses/response-lines.js';
import type { ConnectionSource } from '../pool/target-connections.js';
import { keepAliveTime } from './connection-timers.js';
import { OutgoingBody, readFirstPiece } from './outgoing-body.js';
import { Http1ResponseBody, ReceivedResponse } from './received-response.js';
import { StreamedResponse } from './streamed-response.js';
import { type ExchangeRoles, isSafeToResend, TimedRequest } from './timed-request.js';
import type { UpstreamConnection } from './upstream-connection.js';
import { lossFailure, malformedResponse, refused } from './upstream-failures.js';
import { frames, noBody, upstreamRequestHead } from './upstream-request-head.js';

/** One HTTP/1.1 request to an upstream target. */
export class CoreExchange extends TimedRequest implements UpstreamExchange, ExchangeRoles {
  readonly #request: UpstreamRequest;
  readonly #listener: UpstreamListener;
  readonly #connections: ConnectionSource<UpstreamConnection>;
  readonly #settings: TargetClientOptions;
  /** The target's eviction count when the request began. */
  readonly #turnAwaysBefore: number;
  /** Head of a request without a body. */
  #head = '';
  #outgoing: OutgoingBody | null = null;
  #connection: UpstreamConnection | null = null;
  #hasWaited = false;
  /** Some octets may have been sent. */
  #isSent = false;
  #isRepeated = false;
  /** A reused connection that has not responded to this request yet. */
  #isUnheard = false;
  #hasHead = false;
  #streamed: StreamedResponse | null = null;
  #isPaused = false;
  /** The connection is a tunnel; the exchange ends when it closes. */
  #isTunnel = false;
  #isEnded = false;

  constructor(
    request: UpstreamRequest,
    listener: UpstreamListener,
    connections: ConnectionSource<UpstreamConnection>,
    settings: TargetClientOptions,
  ) {
    super(request, settings.readMs);
    this.#request = request;
    this.#listener = listener;
    this.#connections = connections;
    this.#settings = settings;
    this.#turnAwaysBefore = connections.turnAways;
  }

  start(): void {
    const { body } = this.#request;
    if (body === null) this.firstPiece(null, null);
    else readFirstPiece(body, this);
  }

  cancel(): void {
    this.#fail({ code: 'cancelled', detail: 'the request is no longer wanted' });
  }

  giveUp(): void {
    this.#fail({ code: 'cancelled', detail: 'the connections to the target are closed' });
  }

  evictQueued(): void {
    this.#fail({ code: 'overloaded', wasEvicted: true, detail: 'the target was taken out' });
  }

  use(connection: UpstreamConnection): void {
    const refusal = this.#hasWaited ? this.refusal() : null;
    if (refusal !== null) {
      this.#fail(refusal);
      this.#connections.giveBack(connection);
      return;
    }
    this.#connection = connection;
    if (this.#hasWaited) this.noteAsked();
    this.#dispatch(connection);
  }

  connected(): void {
    const connection = this.#connection;
    if (connection === null) return;
    const { method, upgradeToWebSocket } = this.#request;
    const outgoing = this.#outgoing;
    this.#isSent = true;
    this.#isUnheard = connection.hasServed;
    connection.reader.expect(method === 'HEAD', upgradeToWebSocket);
    this.watch();
    // Upgrade requests take the direct path.
    if (outgoing === null && upgradeToWebSocket) connection.write(this.#head);
    else if (outgoing === null) connection.deferWrite(this.#head);
    else outgoing.writeTo(connection, this);
  }

  notConnected(failure: UpstreamFailure): void {
    this.#fail(failure);
  }

  received(octets: Buffer, end: number): boolean {
    const connection = this.#connection;
    if (connection === null) return false;
    this.#isUnheard = false;
    connection.reader.read(octets, end, this);
    if (this.#isEnded || this.#streamed === null) return true;
    this.#streamed.noteRead();
    // The callback may have ended the exchange.
    if (this.#isEnded) return true;
    this.#isPaused = this.#streamed.isFull;
    this.noteDataReceived(this.#isPaused);
    return !this.#isPaused;
  }

  drained(): void {
    this.#outgoing?.drained();
  }

  lost(error: Error | null, isUnwritten: boolean): void {
    const connection = this.#connection;
    if (connection === null) return;
    // The whole request is still deferred.
    if (isUnwritten) this.#isSent = false;
    if (this.#isTunnel) this.#end();
    // A reset is no end of message: the body may be incomplete.
    else if (error === null && connection.reader.endsWithConnection()) this.responseEnded(noHeaders);
    else if (
      this.#isUnheard &&
      !this.#isRepeated &&
      isSafeToResend(this.#request, error, isUnwritten, this.#listener)
    ) {
      this.#isRepeated = true;
      this.suspendReadTimeout();
      this.#dispatch(connection);
    } else this.#fail(lossFailure(error));
  }

  interimResponse(status: number, headers: HeaderList): boolean {
    if (!this.#isEnded) this.#listener.informed(status, headers);
    return !this.#isEnded;
  }

  wholeResponse(status: number, received: ResponseLines, body: BodySource | null): void {
    this.#noteHead(received);
    this.#end();
    this.#listener.answered(new ReceivedResponse(status, received, body, false));
  }

  responseBegun(status: number, received: ResponseLines, length: number | null): void {
    this.#noteHead(received);
    const body = new Http1ResponseBody(this, length);
    this.#streamed = new StreamedResponse(status, received, body, this);
  }

  responsePiece(piece: Uint8Array): void {
    this.#streamed?.push(piece);
  }

  responseEnded(trailers: HeaderList): void {
    // Framing fields in trailers suggest that the upstream sees another message boundary.
    if (trailers.length > 0 && frames(trailers)) this.#discard();
    this.#end();
    this.#streamed?.end(trailers);
  }

  protocolSwitched(status: number, headers: HeaderList, rest: Uint8Array): void {
    const tunnel = this.#connection?.becomeTunnel(rest) ?? null;
    if (tunnel === null) return;
    this.#isTunnel = true;
    this.removeTimers();
    // The stream is still delivering its read.
    queueMicrotask(() =>
      this.#listener.answered({ status, headers, received: null, body: null, isBodyLate: false, tunnel }),
    );
  }

  responseMalformed(fault: string): void {
    this.#fail(malformedResponse(fault));
  }

  bodyBegun(): void {
    this.beginSending();
  }

  waitsForUpstream(isWaiting: boolean): void {
    if (!this.#isEnded) this.noteBlocked(isWaiting);
  }

  bodySent(): void {
    // The response may have arrived or ended before the request.
    if (this.#isEnded) return;
    if (this.#hasHead) this.endSending();
    else this.awaitResponse();
  }

  bodyFailed(failure: UpstreamFailure): void {
    this.#fail(failure);
  }

  resumeReading(): void {
    if (!this.#isPaused || this.#isEnded) return;
    this.#isPaused = false;
    this.noteDataReceived(false);
    this.#connection?.resume();
  }

  take(response: UpstreamResponse): void {
    this.#listener.answered(response);
  }

  protected override get missing(): 'free connection' | 'connection' | 'answer' {
    if (this.#connection === null) return 'free connection';
    return this.#isSent ? 'answer' : 'connection';
  }

  protected override get hasHead(): boolean {
    return this.#hasHead;
  }

  protected override get writeBacklog(): number {
    return this.#connection?.writeBacklog ?? 0;
  }

  protected override timedOut(failure: UpstreamFailure): void {
    this.#fail(failure);
  }

  /**
   * A body of one chunk goes out with the head in one write; others are pulled at the upstream's
   * pace.
   */
  firstPiece(body: BodySource | null, first: Uint8Array | null): void {
    if (this.#isEnded) return;
    if (this.#connections.turnAways !== this.#turnAwaysBefore) {
      this.evictQueued();
      return;
    }
    try {
      if (body === null) this.#head = upstreamRequestHead(this.#request, this.#settings, noBody);
      else this.#outgoing = new OutgoingBody(this.#request, this.#settings, body, first);
    } catch (error) {
      this.#fail(refused(error));
      return;
    }
    this.awaitConnection(turnMs());
    if (!this.#connections.request(this)) {
      this.#fail({ code: 'overloaded', detail: 'every connection is busy and so is the queue' });
      return;
    }
    this.#hasWaited = this.#connection === null;
    if (!this.#isSent) this.watch();
  }

  #dispatch(connection: UpstreamConnection): void {
    connection.hold(this);
    const { upgradeToWebSocket } = this.#request;
    if (connection.isOpen && (!upgradeToWebSocket || connection.isNewStream)) {
      this.#isUnheard = true;
      connection.start();
    } else connection.open(upgradeToWebSocket);
  }

  #noteHead(received: ResponseLines): void {
    this.#hasHead = true;
    this.cancelRequestTimeout();
    const connection = this.#connection;
    if (connection === null) return;
    connection.hasServed = true;
    connection.keepMs = keepAliveTime(received.keepAlive);
  }

  #fail(failure: UpstreamFailure): void {
    if (this.#isEnded) return;
    if (this.#isTunnel) {
      this.#connection?.destroy();
      return;
    }
    if (this.#connection === null) this.#connections.forget(this);
    // A connection that is still being opened can serve the next request.
    else if (this.#isSent) this.#discard();
    const told = { ...failure, neverSent: !this.#isSent };
    if (this.#streamed?.fail(failure) !== true) queueMicrotask(() => this.#listener.failed(told));
    this.#end();
  }

  /** Destroys the socket, so that no other request uses it. */
  #discard(): void {
    this.#connection?.release();
    this.#connection?.destroy();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.removeTimers();
    const connection = this.#connection;
    if (connection === null) return;
    const isWhole = this.#outgoing === null || this.#outgoing.stop();
    const isGood =
      isWhole &&
      // One that is passed on later is asked then: TLS reports late that the kernel took a write.
      (connection.isFlushed || !connection.isReadDry) &&
      connection.reader.isReusable &&
      connection.keepMs > 0 &&
      !connection.mayHaveMore;
    if (this.#isSent && !isGood) this.#discard();
    else connection.release();
    this.#connections.giveBack(connection);
  }
}
