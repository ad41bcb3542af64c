import { type ClientHttp2Stream, constants } from 'node:http2';
import type {
  TargetClientOptions,
  UpstreamExchange,
  UpstreamFailure,
  UpstreamListener,
  UpstreamRequest,
  UpstreamResponse,
} from '../../../../application/ports/gateway/upstream-client.js';
import { unprocessedWaitMs } from '../../../../domain/gateway/load-balancing/retry-rules.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import { waitText } from '../pool/target-connections.js';
import { type Awaited, type DeadlineUser, ExchangeDeadlines } from './exchange-deadlines.js';
import { classifyStreamEnd } from './failure-classification.js';
import { type Http2RequestFields, requestFields } from './http2-request-fields.js';
import { Http2ResponseReader, type ResponseListener } from './http2-response-reader.js';
import { LengthMismatchError, RequestSender, type SendingListener } from './request-sender.js';
import type { SessionPool } from './session-pool.js';
import type { StreamUser } from './stream-user.js';
import type { UpstreamSession } from './upstream-session.js';

/** Methods safe to repeat (RFC 9110, section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * One HTTP/2 request to a target; it moves to another stream if the target refuses one unprocessed.
 */
export class Http2Exchange implements UpstreamExchange, StreamUser, SendingListener, ResponseListener, DeadlineUser {
  awaited: Awaited = 'free connection';
  readonly #request: UpstreamRequest;
  readonly #listener: UpstreamListener;
  readonly #settings: TargetClientOptions;
  readonly #sessions: SessionPool;
  readonly #deadlines: ExchangeDeadlines;
  #fields: Http2RequestFields | null = null;
  #sender: RequestSender | null = null;
  #session: UpstreamSession | null = null;
  #reader: Http2ResponseReader | null = null;
  /** Session activity count at the start of the wait. */
  #signsBefore = 0;
  /** The session had delivered a response before. */
  #hadServed = false;
  #hasWaited = false;
  #isRepeated = false;
  /** Number of resends after unprocessed refusals. */
  #refusals = 0;
  refusedBy: UpstreamSession | null = null;
  /** No resend after this time; `performance.now()`. */
  #untilMs = 0;
  #isSent = false;
  /** The listener has the outcome, or will get it soon. */
  #isTold = false;
  #isEnded = false;

  constructor(
    request: UpstreamRequest,
    listener: UpstreamListener,
    settings: TargetClientOptions,
    sessions: SessionPool,
  ) {
    this.#request = request;
    this.#listener = listener;
    this.#settings = settings;
    this.#sessions = sessions;
    this.#deadlines = new ExchangeDeadlines(request, settings.readMs, this);
  }

  start(): void {
    const { body } = this.#request;
    // Upgrade may be ignored (RFC 9110, section 7.8), and HTTP/2 has none (RFC 9113, section 8.6).
    const made = requestFields(this.#request, this.#settings);
    if (!made.ok) {
      this.#fail({ code: 'refused_request', neverSent: true, detail: made.error });
      return;
    }
    const { contentLength } = made.value;
    if (body === null && contentLength !== null && contentLength > 0) {
      this.#fail({ code: 'refused_request', neverSent: true, detail: 'Content-Length without a body' });
      return;
    }
    this.#fields = made.value;
    this.#untilMs = performance.now() + this.#request.timeoutMs;
    this.#sender = body === null ? null : new RequestSender(body, contentLength, this);
    this.#deadlines.requestTimeout.begin();
    this.#deadlines.startTimer();
    this.#requestStream();
  }

  get isAbandoned(): boolean {
    return false;
  }

  cancel(): void {
    this.#abort({ code: 'cancelled', detail: 'the request is no longer wanted' });
  }

  giveUp(): void {
    this.#abort({ code: 'cancelled', detail: 'the connections to the target are closed' });
  }

  evictQueued(): void {
    this.#abort({ code: 'overloaded', wasEvicted: true, detail: 'the target was taken out' });
  }

  fail(failure: UpstreamFailure): void {
    this.#fail(failure);
  }

  wait(): void {
    this.awaited = 'free connection';
    this.#hasWaited = true;
  }

  expect(): void {
    this.awaited = 'connection';
    this.#deadlines.requestTimeout.noteAsked();
  }

  use(session: UpstreamSession): void {
    if (this.#isEnded) return;
    const refusal = this.#hasWaited ? this.#deadlines.requestTimeout.refusal() : null;
    if (refusal !== null) {
      this.#fail({ ...refusal, neverSent: true });
      return;
    }
    if (this.awaited === 'free connection') this.#deadlines.requestTimeout.noteAsked();
    this.awaited = 'answer';
    this.#open(session);
  }

  onBlocked(): void {
    this.#deadlines.noteBlocked();
  }

  onProgress(): void {
    this.#deadlines.refresh();
  }

  onSent(): void {
    this.#isSent = true;
    // The response may have arrived or ended before the request.
    if (this.#isEnded) return;
    this.#deadlines.refresh();
    if (this.#reader?.hasHead === true) return;
    this.#deadlines.requestTimeout.noteAsked();
    this.#deadlines.startTimer();
  }

  onFault(error: unknown): void {
    const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.#abort({ code: error instanceof LengthMismatchError ? 'refused_request' : 'request_body', detail });
  }

  get progress(): string | null {
    return this.#sender?.isBlocked === true ? (this.#session?.sendingProgress ?? null) : null;
  }

  owed(): string | null {
    const wait = waitText(this.#deadlines.readMs);
    if (this.#sender?.isBlocked === true && !this.#isSent)
      return `nothing more of the request was taken within ${wait}`;
    // An upstream may answer after the whole request; until then the client's pace is watched.
    if (!this.#isSent) return null;
    // Until the head arrives, the request timeout applies.
    if (this.#reader?.hasHead !== true) return null;
    return this.#reader.isAwaited ? `no more of the answer within ${wait}` : null;
  }

  overdue(failure: UpstreamFailure): void {
    const session = this.#session;
    if (session !== null && session.signs === this.#signsBefore) session.doubt();
    this.#abort(failure);
  }

  onSign(): void {
    this.#deadlines.refresh();
    if (this.#session === null) return;
    this.#session.signs += 1;
    this.#signsBefore = this.#session.signs;
  }

  onHead(holdMs: number, letGo: () => void): void {
    this.#noteHead();
    this.#deadlines.holdFor(holdMs, letGo);
  }

  onInterim(status: number, headers: HeaderList): void {
    // Asynchronous like the response, to keep the order.
    if (!this.#isTold) queueMicrotask(() => this.#listener.informed(status, headers));
  }

  onResponse(response: UpstreamResponse): void {
    this.#noteHead();
    if (this.#isTold) return;
    this.#isTold = true;
    // Not inside node:http2, which may still emit events of the stream.
    queueMicrotask(() => this.#listener.answered(response));
  }

  onRead(): void {
    this.#deadlines.refresh();
  }

  onMalformed(detail: string): void {
    this.#abort({ code: 'invalid_response', detail });
  }

  onWhole(stream: ClientHttp2Stream): void {
    if (this.#isEnded) return;
    this.#end();
    // The response ended before the request; the rest is not wanted (RFC 9113, section 8.1).
    if (!stream.writableFinished) stream.close(constants.NGHTTP2_CANCEL);
  }

  onCut(reader: Http2ResponseReader): void {
    if (reader !== this.#reader || this.#isEnded) return;
    const isUnprocessed = this.#isUnprocessed(reader);
    // node:http2 ends the streams of a failed session before it reports the reason, with the same
    // error.
    const { code, detail } = this.#session?.failure ?? classifyStreamEnd(reader.stream.rstCode, reader.error);
    if (isUnprocessed) {
      this.#refused({ code: 'unreachable', detail, neverSent: true });
      return;
    }
    if (this.#takeRetry(reader.hasBegun, code)) {
      this.#repeat();
      return;
    }
    this.#fail({ code, detail, neverSent: false });
  }

  #requestStream(): void {
    this.awaited = 'free connection';
    this.#hasWaited = false;
    if (this.#sessions.request(this)) return;
    this.#fail({ code: 'overloaded', neverSent: true, detail: 'every connection is busy and so is the queue' });
  }

  #open(session: UpstreamSession): void {
    let stream: ClientHttp2Stream;
    try {
      stream = session.open(this.#fields?.fields ?? {}, this.#sender === null);
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      // Session errors have a code; others concern the fields.
      const isLost = session.isLeaving || !session.hasRoom;
      // The session started to close after it was chosen.
      if (isLost) this.#refused({ code: 'unreachable', neverSent: true, detail });
      else this.#fail({ code: 'refused_request', neverSent: true, detail });
      return;
    }
    this.#session = session;
    this.#signsBefore = session.signs;
    this.#hadServed = session.hasServed;
    this.#isSent = this.#sender === null;
    this.#reader = new Http2ResponseReader(stream, this.#request.method === 'HEAD', this);
    this.#deadlines.watch();
    if (this.#sender === null) return;
    // While the body is sent, the client's pace applies.
    this.#deadlines.stopTimer();
    this.#sender.send(stream);
  }

  #noteHead(): void {
    this.#deadlines.stopTimer();
    this.#sender?.forget();
    if (this.#session) this.#session.hasServed = true;
  }

  /** The peer reports that it did not process the request (RFC 9113, section 8.7). */
  #isUnprocessed({ stream, hasBegun }: Http2ResponseReader): boolean {
    if (hasBegun) return false;
    return stream.rstCode === constants.NGHTTP2_REFUSED_STREAM || (stream.id ?? 0) > (this.#session?.lastStream ?? 0);
  }

  /**
   * The target did not process the request: resend it on another session, with any method, until
   * its time is over. Attempts and retry budget do not count it.
   */
  #refused(failure: UpstreamFailure): void {
    const waitMs = unprocessedWaitMs(this.#refusals);
    if (performance.now() + waitMs >= this.#untilMs || !this.#holdsBody()) {
      this.#fail(failure);
      return;
    }
    this.#refusals += 1;
    this.refusedBy = this.#session;
    this.#leaveStream();
    this.#sessions.reserve(this);
    this.awaited = 'free connection';
    this.#deadlines.holdFor(waitMs, () => this.#sendAgain());
  }

  /** Whether the whole body is held, by the sender or by the listener. */
  #holdsBody(): boolean {
    if (this.#sender === null || this.#sender.isRepeatable) return true;
    const body = this.#listener.restartBody?.() ?? null;
    if (body === null) return false;
    this.#sender.stop();
    this.#sender = new RequestSender(body, this.#fields?.contentLength ?? null, this);
    return true;
  }

  #sendAgain(): void {
    this.#deadlines.stopTimer();
    this.#deadlines.shorten(Math.max(1, this.#untilMs - performance.now()));
    this.#deadlines.startTimer();
    this.#requestStream();
  }

  /** Resends a safe request once if its reused session closed without a response. */
  #takeRetry(hasBegun: boolean, code: UpstreamFailure['code']): boolean {
    if (this.#isRepeated || hasBegun) return false;
    const wasLost =
      this.#session?.isOpen === false &&
      this.#hadServed &&
      this.#sender === null &&
      safeMethods.has(this.#request.method) &&
      code !== 'invalid_response' &&
      code !== 'timed_out';
    // Last, because it takes from the retry budget.
    return wasLost && this.#listener.takeRetry();
  }

  #repeat(): void {
    this.#isRepeated = true;
    this.#leaveStream();
    this.#sessions.reserve(this);
    this.#deadlines.startTimer();
    this.#requestStream();
  }

  #leaveStream(): void {
    this.#deadlines.stop();
    this.#sender?.pause();
    this.#reader = null;
    this.#session = null;
  }

  /** The gateway aborts the request. */
  #abort(failure: UpstreamFailure): void {
    if (this.#isEnded) return;
    const stream = this.#reader?.stream ?? null;
    this.#fail({ ...failure, neverSent: stream === null && !this.#isRepeated });
    if (stream === null) this.#sessions.forget(this);
    else stream.close(constants.NGHTTP2_CANCEL);
  }

  #fail(failure: UpstreamFailure): void {
    if (this.#isEnded) return;
    this.#end();
    if (this.#reader?.fail(failure) !== true) this.#tellFailure(failure);
  }

  #tellFailure(failure: UpstreamFailure): void {
    if (this.#isTold) return;
    this.#isTold = true;
    queueMicrotask(() => this.#listener.failed(failure));
  }

  #end(): void {
    this.#isEnded = true;
    this.#deadlines.stop();
    this.#sender?.stop();
  }
}
