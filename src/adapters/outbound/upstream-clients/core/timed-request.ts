import type {
  UpstreamFailure,
  UpstreamListener,
  UpstreamRequest,
} from '../../../../application/ports/gateway/upstream-client.js';
import type { WheelTimer } from '../../../../domain/shared/timer-wheel.js';
import { RequestTimeout } from '../pool/request-timeout.js';
import type { ConnectionUser } from '../pool/target-connections.js';
import { putOffTimer, removeTimer } from './connection-timers.js';
import type { ResponseSink } from './http1-response-reader.js';
import type { FirstPieceTaker } from './outgoing-body.js';
import type { BodyOrigin } from './received-response.js';
import type { BodySending } from './request-body-sender.js';
import type { ResponseTaker } from './streamed-response.js';
import type { ConnectionListener, UpstreamConnection } from './upstream-connection.js';
import { silence } from './upstream-failures.js';

/** The roles of an exchange. One object has them all, so a request allocates no other. */
export interface ExchangeRoles
  extends ConnectionUser<UpstreamConnection>,
    ConnectionListener,
    ResponseSink,
    BodySending,
    FirstPieceTaker,
    BodyOrigin,
    ResponseTaker {}

/** Methods safe to repeat (RFC 9110, section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether the peer closed the connection. Null means no error. */
const isClosed = (error: NodeJS.ErrnoException | null): boolean =>
  error === null || error.code === 'ECONNRESET' || error.code === 'EPIPE';

/**
 * Whether a request may be resent after its reused connection closed without a response octet. The
 * connection was closing while the request was in flight, and the upstream most likely never saw
 * it.
 * @param isUnwritten no octet was sent; the upstream certainly did not see it, whatever the method
 */
export const isSafeToResend = (
  request: UpstreamRequest,
  error: Error | null,
  isUnwritten: boolean,
  listener: UpstreamListener,
): boolean =>
  isClosed(error) &&
  (isUnwritten ||
    (request.body === null &&
      safeMethods.has(request.method) &&
      // Last, because it takes from the retry budget.
      listener.takeRetry()));

/** No deadline. */
const never = Number.POSITIVE_INFINITY;

/**
 * A request with its deadlines: the timeout until the response head, and the read timeout
 * afterwards and while the upstream takes no body data.
 */
export abstract class TimedRequest extends RequestTimeout implements WheelTimer {
  // The earliest deadline.
  dueMs = 0;
  slot = -1;
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;
  readonly #timeoutMs: number;
  readonly #readMs: number;
  #requestDueMs = never;
  #readDueMs = never;
  /** The body is being sent, at the pace of the client. */
  #isSending = false;
  /** The upstream takes no body data. */
  #isBlocked = false;
  /** `writeBacklog` when the read timeout started. */
  #backlogBefore = 0;
  /** Reading of the response is paused. */
  #isPaused = false;

  constructor(request: UpstreamRequest, readMs: number) {
    super(request);
    this.#timeoutMs = request.timeoutMs;
    this.#readMs = request.readMs ?? readMs;
  }

  /** What the request waits for. */
  protected abstract get missing(): 'free connection' | 'connection' | 'answer';

  /** The response head arrived. */
  protected abstract get hasHead(): boolean;

  /** Shrinks when the upstream takes request data. */
  protected abstract get writeBacklog(): number;

  protected abstract timedOut(failure: UpstreamFailure): void;

  /**
   * Starts the timeout before a connection is requested. It takes effect with the next call that
   * sets a deadline.
   */
  protected awaitConnection(nowMs: number): void {
    this.begin(nowMs);
    this.#requestDueMs = nowMs + this.#timeoutMs;
  }

  /** The request is sent: restarts the timeout until the response head. */
  protected awaitResponse(): void {
    const nowMs = performance.now();
    this.#isSending = false;
    this.noteAsked(nowMs);
    this.#requestDueMs = nowMs + this.#timeoutMs;
    this.suspendReadTimeout();
  }

  /** Streaming of the body starts. From now on only the read timeout applies, while the body is blocked. */
  protected beginSending(): void {
    this.#isSending = true;
    this.cancelRequestTimeout();
    this.suspendReadTimeout();
  }

  /** The upstream stopped or resumed taking the body. */
  protected noteBlocked(isBlocked: boolean): void {
    this.#isBlocked = isBlocked;
    this.#updateReadTimeout();
  }

  /** The body is sent; the response had already begun. */
  protected endSending(): void {
    this.#isSending = false;
    this.#updateReadTimeout();
  }

  /**
   * Response data arrived, or reading resumed.
   * @param isPaused reading is paused
   */
  protected noteDataReceived(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#updateReadTimeout();
  }

  /** Cancels the timeout until the response head. */
  protected cancelRequestTimeout(): void {
    this.#requestDueMs = never;
  }

  /** Suspends the read timeout. */
  protected suspendReadTimeout(): void {
    this.#readDueMs = never;
    this.watch();
  }

  /** Arms the earliest deadline. */
  protected watch(): void {
    const dueMs = Math.min(this.#requestDueMs, this.#readDueMs);
    if (dueMs === never) removeTimer(this);
    else putOffTimer(this, dueMs);
  }

  protected removeTimers(): void {
    removeTimer(this);
  }

  /**
   * Restarts the read timeout. It is suspended while reading is paused, and while the body is sent
   * and the upstream takes it.
   */
  #updateReadTimeout(): void {
    if (this.#isPaused || (this.#isSending && !this.#isBlocked)) this.suspendReadTimeout();
    else {
      this.#backlogBefore = this.#isBlocked ? this.writeBacklog : 0;
      this.#readDueMs = performance.now() + this.#readMs;
      this.watch();
    }
  }

  expired(): void {
    const nowMs = performance.now();
    if (this.#requestDueMs <= nowMs) this.timedOut(this.timeoutFailure(this.missing, this.#requestDueMs));
    else if (this.#readDueMs > nowMs) this.watch();
    else if (this.#isBlocked && this.writeBacklog < this.#backlogBefore) this.#updateReadTimeout();
    else this.timedOut(silence(this.#readMs, this.hasHead));
  }
}
