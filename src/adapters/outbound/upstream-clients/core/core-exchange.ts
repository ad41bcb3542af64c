import type { BodySource } from '../../../../application/ports/body-source.js';
import type {
  TargetClientSettings,
  UpstreamExchange,
  UpstreamFailure,
  UpstreamRequest,
  UpstreamResponse,
} from '../../../../application/ports/upstream-client.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';
import { err, ok } from '../../../../domain/shared/result.js';
import type { ConnectionUser, TargetConnections } from '../pool/target-connections.js';
import { type FirstPieceTaker, readFirstPiece } from './first-piece.js';
import { keepAliveTime } from './keep-alive-time.js';
import { newOutcome, type Outcome, resolverOfLast } from './outcome-promise.js';
import { OutgoingBody } from './outgoing-body.js';
import { takesRepetition } from './repeatable-request.js';
import type { BodySending } from './request-body-sender.js';
import { type DeadlineOwner, RequestDeadlines } from './request-deadlines.js';
import { noBody, requestHead } from './request-head.js';
import { type BodyOrigin, ResponseBody } from './response-body.js';
import type { ResponseSink } from './response-reader.js';
import { StreamedResponse } from './streamed-response.js';
import { frames } from './trailer-framing.js';
import type { ConnectionHolder, UpstreamConnection } from './upstream-connection.js';
import { lossFailure, malformed, refused } from './upstream-failures.js';

type Parts = ConnectionUser<UpstreamConnection> &
  ConnectionHolder &
  ResponseSink &
  BodySending &
  FirstPieceTaker &
  BodyOrigin &
  DeadlineOwner;

/** One request on its way to a target. */
export class CoreExchange implements UpstreamExchange, Parts {
  readonly response: Promise<Outcome>;
  readonly #request: UpstreamRequest;
  readonly #connections: TargetConnections<UpstreamConnection>;
  readonly #settings: TargetClientSettings;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #deadlines: RequestDeadlines;
  /** How often the target had been taken out when the request was begun. */
  readonly #turnAwaysBefore: number;
  /** Of a request without a body. */
  #head = '';
  #outgoing: OutgoingBody | null = null;
  #connection: UpstreamConnection | null = null;
  #hasWaited = false;
  /** Octets of it may have gone out. */
  #isSent = false;
  #isRepeated = false;
  /** The connection has served before, and not brought an octet for this request. */
  #isUnheard = false;
  #hasHead = false;
  #streamed: StreamedResponse | null = null;
  #isPaused = false;
  /** The connection is that of a tunnel: the exchange ends when it closes. */
  #isTunnel = false;
  #isEnded = false;

  constructor(
    request: UpstreamRequest,
    connections: TargetConnections<UpstreamConnection>,
    settings: TargetClientSettings,
  ) {
    this.#request = request;
    this.#connections = connections;
    this.#settings = settings;
    this.#deadlines = new RequestDeadlines(request, settings.readMs, this);
    this.#turnAwaysBefore = connections.turnAways;
    this.response = newOutcome();
    this.#resolve = resolverOfLast();
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

  turnAway(): void {
    this.#fail({ code: 'overloaded', isTurnedAway: true, detail: 'the target was taken out' });
  }

  use(connection: UpstreamConnection): void {
    const refusal = this.#hasWaited ? this.#deadlines.refusal() : null;
    if (refusal !== null) {
      this.#fail(refusal);
      this.#connections.giveBack(connection);
      return;
    }
    this.#connection = connection;
    if (this.#hasWaited) this.#deadlines.noteAsked();
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
    if (outgoing === null || !outgoing.isInPieces) this.#deadlines.beginSilence();
    else this.#deadlines.beginSending();
    if (outgoing === null) connection.write(this.#head);
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
    this.#isPaused = this.#streamed.isFull;
    this.#deadlines.noteHeard(this.#isPaused);
    return !this.#isPaused;
  }

  drained(): void {
    this.#outgoing?.drained();
  }

  lost(error: Error | null): void {
    const connection = this.#connection;
    if (connection === null) return;
    if (this.#isTunnel) this.#end();
    // A reset is no end: nothing tells that this was all of it.
    else if (error === null && connection.reader.endsWithConnection()) this.responseEnded(noHeaders);
    else if (this.#isUnheard && !this.#isRepeated && takesRepetition(this.#request, error)) {
      this.#isRepeated = true;
      this.#deadlines.bearSilence();
      this.#dispatch(connection);
    } else this.#fail(lossFailure(error));
  }

  wholeResponse(status: number, headers: HeaderList, body: BodySource | null): void {
    this.#noteHead(headers);
    this.#end();
    this.#tell({ status, headers, body, isBodyLate: false, tunnel: null });
  }

  responseBegun(status: number, headers: HeaderList, declaredLength: number | null): void {
    this.#noteHead(headers);
    const body = new ResponseBody(this, declaredLength);
    this.#streamed = new StreamedResponse(status, headers, body, (response) => this.#tell(response));
  }

  responsePiece(piece: Uint8Array): void {
    this.#streamed?.push(piece);
  }

  responseEnded(trailers: HeaderList): void {
    // An upstream that frames by trailers may have another opinion of where the next response begins.
    if (trailers.length > 0 && frames(trailers)) this.#discard();
    this.#streamed?.end(trailers);
    this.#end();
  }

  protocolSwitched(status: number, headers: HeaderList, rest: Uint8Array): void {
    const tunnel = this.#connection?.becomeTunnel(rest) ?? null;
    if (tunnel === null) return;
    this.#isTunnel = true;
    this.#deadlines.stop();
    this.#tell({ status, headers, body: null, isBodyLate: false, tunnel });
  }

  responseMalformed(fault: string): void {
    this.#fail(malformed(fault));
  }

  waitsForUpstream(isWaiting: boolean): void {
    if (!this.#isEnded) this.#deadlines.noteHeldUp(isWaiting);
  }

  bodySent(): void {
    // The answer may have come, or even ended, before the request has.
    if (this.#isEnded) return;
    if (this.#hasHead) this.#deadlines.endSending();
    else this.#deadlines.awaitAnswer();
  }

  bodyFailed(failure: UpstreamFailure): void {
    this.#fail(failure);
  }

  resumeReading(): void {
    if (!this.#isPaused || this.#isEnded) return;
    this.#isPaused = false;
    this.#deadlines.noteHeard(false);
    this.#connection?.resume();
  }

  get missing(): 'free connection' | 'connection' | 'answer' {
    if (this.#connection === null) return 'free connection';
    return this.#isSent ? 'answer' : 'connection';
  }

  get hasHead(): boolean {
    return this.#hasHead;
  }

  timeIsOver(failure: UpstreamFailure): void {
    this.#fail(failure);
  }

  /** A body that is there in one piece goes with the head in one write; any other is pulled as the upstream takes it. */
  firstPiece(body: BodySource | null, first: Uint8Array | null): void {
    if (this.#isEnded) return;
    if (this.#connections.turnAways !== this.#turnAwaysBefore) {
      this.turnAway();
      return;
    }
    try {
      if (body === null) this.#head = requestHead(this.#request, this.#settings.authority, noBody);
      else this.#outgoing = new OutgoingBody(this.#request, this.#settings.authority, body, first);
    } catch (error) {
      this.#fail(refused(error));
      return;
    }
    this.#deadlines.awaitConnection();
    if (!this.#connections.request(this)) {
      this.#fail({ code: 'overloaded', detail: 'every connection is busy and so is the queue' });
      return;
    }
    this.#hasWaited = this.#connection === null;
    if (!this.#isSent) this.#deadlines.watch();
  }

  #dispatch(connection: UpstreamConnection): void {
    connection.hold(this);
    const { upgradeToWebSocket } = this.#request;
    if (connection.isOpen && !upgradeToWebSocket) this.connected();
    else connection.open(upgradeToWebSocket);
  }

  #noteHead(headers: HeaderList): void {
    this.#hasHead = true;
    this.#deadlines.endTimeOut();
    const connection = this.#connection;
    if (connection === null) return;
    connection.hasServed = true;
    connection.keepMs = keepAliveTime(headers);
  }

  #tell(response: UpstreamResponse): void {
    this.#resolve(ok(response));
  }

  #fail(failure: UpstreamFailure): void {
    if (this.#isEnded) return;
    if (this.#isTunnel) {
      this.#connection?.destroy();
      return;
    }
    if (this.#connection === null) this.#connections.forget(this);
    // One that is only being made serves the next.
    else if (this.#isSent) this.#discard();
    if (this.#streamed?.fail(failure) !== true) this.#resolve(err({ ...failure, neverSent: !this.#isSent }));
    this.#end();
  }

  /** No other request is to have the socket. */
  #discard(): void {
    const connection = this.#connection;
    if (connection === null) return;
    connection.release();
    connection.destroy();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#deadlines.stop();
    const connection = this.#connection;
    if (connection === null) return;
    const isWhole = this.#outgoing === null || this.#outgoing.stop();
    const isGood = isWhole && connection.isFlushed && connection.reader.isReusable && connection.keepMs > 0;
    if (this.#isSent && !isGood) this.#discard();
    else connection.release();
    this.#connections.giveBack(connection);
  }
}
