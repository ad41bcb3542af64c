import type {
  UpstreamFailure,
  UpstreamListener,
  UpstreamRequest,
} from '../../../../application/ports/gateway/upstream-client.js';
import type { WheelTimer } from '../../../../domain/shared/timer-wheel.js';
import { RequestPatience } from '../pool/request-patience.js';
import type { ConnectionUser } from '../pool/target-connections.js';
import type { BodyOrigin } from './http1-response-body.js';
import type { ResponseSink } from './http1-response-reader.js';
import type { FirstPieceTaker } from './outgoing-body.js';
import type { BodySending } from './request-body-sender.js';
import type { ResponseTaker } from './streamed-response.js';
import type { ConnectionHolder, UpstreamConnection } from './upstream-connection.js';
import { silence } from './upstream-failures.js';
import { putOffTimer, removeTimer } from './upstream-socket.js';

/** All that an exchange is to those that it works with. One object is all of it, so that a request costs no other. */
export interface ExchangeParts
  extends ConnectionUser<UpstreamConnection>,
    ConnectionHolder,
    ResponseSink,
    BodySending,
    FirstPieceTaker,
    BodyOrigin,
    ResponseTaker {}

/** Methods that may be sent again without asking (RFC 9110, section 9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a connection ended as it does where the other side has closed it. Null: without an error. */
const isClosed = (error: NodeJS.ErrnoException | null): boolean =>
  error === null || error.code === 'ECONNRESET' || error.code === 'EPIPE';

/**
 * Whether a request whose connection ended like this may be sent once more. That connection had served before, and has
 * not brought an octet for this request: it was closing while the request was on its way, and the upstream has most
 * likely never seen it.
 *
 * @param isUnwritten no octet of it has gone out: then it certainly has not, whatever the request is
 */
export const takesRepetition = (
  request: UpstreamRequest,
  error: Error | null,
  isUnwritten: boolean,
  listener: UpstreamListener,
): boolean =>
  isClosed(error) &&
  (isUnwritten ||
    (request.body === null &&
      safeMethods.has(request.method) &&
      // Last, because it takes a retry of those that there are.
      listener.mayRepeat()));

/** No deadline. */
const never = Number.POSITIVE_INFINITY;

/**
 * A request with its deadlines: its time-out until the head of its answer, and the upstream's silence after that, and while
 * the upstream takes nothing of the body.
 */
export abstract class TimedRequest extends RequestPatience implements WheelTimer {
  // The deadline that comes first.
  dueMs = 0;
  slot = -1;
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;
  readonly #timeoutMs: number;
  readonly #readMs: number;
  #requestDueMs = never;
  #silenceDueMs = never;
  /** Pieces of the request's body go out: what is waited for is its client. */
  #isSending = false;
  /** The upstream takes none of them. */
  #isHeldUp = false;
  /** As `writeBacklog` was when the silence began. */
  #backlogBefore = 0;
  /** Nothing of the response is read. */
  #isPaused = false;

  constructor(request: UpstreamRequest, readMs: number) {
    super(request);
    this.#timeoutMs = request.timeoutMs;
    this.#readMs = request.readMs ?? readMs;
  }

  /** What the request waits for. */
  protected abstract get missing(): 'free connection' | 'connection' | 'answer';

  /** The head of its answer has come. */
  protected abstract get hasHead(): boolean;

  /** Shrinks whenever the upstream takes some of the request. */
  protected abstract get writeBacklog(): number;

  protected abstract timeIsOver(failure: UpstreamFailure): void;

  /** The time-out begins: a connection is about to be asked for. It is not heeded before the next call of another one. */
  protected awaitConnection(nowMs: number): void {
    this.begin(nowMs);
    this.#requestDueMs = nowMs + this.#timeoutMs;
  }

  /** The request is sent whole: its time-out begins anew, and the upstream may be silent until the head of its answer. */
  protected awaitAnswer(): void {
    const nowMs = performance.now();
    this.#isSending = false;
    this.noteAsked(nowMs);
    this.#requestDueMs = nowMs + this.#timeoutMs;
    this.bearSilence();
  }

  /** A body begins to go out in pieces. It is watched by the silence of its client, and of an upstream that takes none. */
  protected beginSending(): void {
    this.#isSending = true;
    this.endTimeOut();
    this.bearSilence();
  }

  /** The upstream takes nothing of the body any more; or it does again. */
  protected noteHeldUp(isHeldUp: boolean): void {
    this.#isHeldUp = isHeldUp;
    this.#heedSilence();
  }

  /** The body is sent, and the answer has begun before that. */
  protected endSending(): void {
    this.#isSending = false;
    this.#heedSilence();
  }

  /** Some of the answer has come, or is read on. @param isPaused nothing more is read for now */
  protected noteHeard(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#heedSilence();
  }

  /** From now on the time-out is none. */
  protected endTimeOut(): void {
    this.#requestDueMs = never;
  }

  /** The upstream may be silent. */
  protected bearSilence(): void {
    this.#silenceDueMs = never;
    this.watch();
  }

  /** Heeds what is due first. */
  protected watch(): void {
    const dueMs = Math.min(this.#requestDueMs, this.#silenceDueMs);
    if (dueMs === never) removeTimer(this);
    else putOffTimer(this, dueMs);
  }

  protected endTimers(): void {
    removeTimer(this);
  }

  /** An upstream may be silent while it is not listened to, and while it waits for the rest of the request. */
  #heedSilence(): void {
    if (this.#isPaused || (this.#isSending && !this.#isHeldUp)) this.bearSilence();
    else {
      this.#backlogBefore = this.#isHeldUp ? this.writeBacklog : 0;
      this.#silenceDueMs = performance.now() + this.#readMs;
      this.watch();
    }
  }

  expired(): void {
    const nowMs = performance.now();
    if (this.#requestDueMs <= nowMs) this.timeIsOver(this.lateness(this.missing, this.#requestDueMs));
    else if (this.#silenceDueMs > nowMs) this.watch();
    else if (this.#isHeldUp && this.writeBacklog < this.#backlogBefore) this.#heedSilence();
    else this.timeIsOver(silence(this.#readMs, this.hasHead));
  }
}
