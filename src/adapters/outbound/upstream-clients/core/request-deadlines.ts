import type { UpstreamFailure, UpstreamRequest } from '../../../../application/ports/upstream-client.js';
import type { WheelTimer } from '../../../../domain/shared/timer-wheel.js';
import { RequestPatience } from '../pool/request-patience.js';
import { putOffTimer, removeTimer } from './shared-timers.js';
import { silence } from './upstream-failures.js';

/** No deadline. */
const never = Number.POSITIVE_INFINITY;

/** Whose deadlines they are. */
export interface DeadlineOwner {
  /** What the request waits for. */
  readonly missing: 'free connection' | 'connection' | 'answer';
  readonly hasHead: boolean;
  timeIsOver(failure: UpstreamFailure): void;
}

/** The deadlines of one request: that of its time-out, and that of the upstream's silence. */
export class RequestDeadlines extends RequestPatience implements WheelTimer {
  // The deadline that comes first.
  dueMs = 0;
  slot = -1;
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;
  readonly #timeoutMs: number;
  readonly #readMs: number;
  readonly #owner: DeadlineOwner;
  #requestDueMs = never;
  #silenceDueMs = never;
  /** Pieces of the request's body go out: what is waited for is its client. */
  #isSending = false;
  /** The upstream takes none of them. */
  #isHeldUp = false;
  /** Nothing of the response is read. */
  #isPaused = false;

  constructor(request: UpstreamRequest, readMs: number, owner: DeadlineOwner) {
    super(request);
    this.#timeoutMs = request.timeoutMs;
    this.#readMs = readMs;
    this.#owner = owner;
  }

  /** The time-out begins: a connection is about to be asked for. It is not heeded before the next call of another one. */
  awaitConnection(): void {
    const nowMs = performance.now();
    this.begin(nowMs);
    this.#requestDueMs = nowMs + this.#timeoutMs;
  }

  /** The request is sent whole: its time-out begins anew, and so does the silence. */
  awaitAnswer(): void {
    const nowMs = performance.now();
    this.#isSending = false;
    this.noteAsked(nowMs);
    this.#requestDueMs = nowMs + this.#timeoutMs;
    this.#silenceDueMs = nowMs + this.#readMs;
    this.watch();
  }

  /** A body begins to go out in pieces. It is watched by the silence of its client, and of an upstream that takes none. */
  beginSending(): void {
    this.#isSending = true;
    this.endTimeOut();
    this.bearSilence();
  }

  /** The upstream takes nothing of the body any more; or it does again. */
  noteHeldUp(isHeldUp: boolean): void {
    this.#isHeldUp = isHeldUp;
    this.#heedSilence();
  }

  /** The body is sent, and the answer has begun before that. */
  endSending(): void {
    this.#isSending = false;
    this.#heedSilence();
  }

  /** Some of the answer has come, or is read on. @param isPaused nothing more is read for now */
  noteHeard(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#heedSilence();
  }

  /** From now on the time-out is none. */
  endTimeOut(): void {
    this.#requestDueMs = never;
  }

  /** The upstream's silence begins. */
  beginSilence(): void {
    this.#silenceDueMs = performance.now() + this.#readMs;
    this.watch();
  }

  /** The upstream may be silent. */
  bearSilence(): void {
    this.#silenceDueMs = never;
    this.watch();
  }

  /** Heeds what is due first. */
  watch(): void {
    const dueMs = Math.min(this.#requestDueMs, this.#silenceDueMs);
    if (dueMs === never) removeTimer(this);
    else putOffTimer(this, dueMs);
  }

  stop(): void {
    removeTimer(this);
  }

  /** An upstream may be silent while it is not listened to, and while it waits for the rest of the request. */
  #heedSilence(): void {
    if (this.#isPaused || (this.#isSending && !this.#isHeldUp)) this.bearSilence();
    else this.beginSilence();
  }

  expired(): void {
    const nowMs = performance.now();
    const owner = this.#owner;
    if (this.#requestDueMs <= nowMs) owner.timeIsOver(this.lateness(owner.missing, this.#requestDueMs));
    else if (this.#silenceDueMs <= nowMs) owner.timeIsOver(silence(this.#readMs, owner.hasHead));
    else this.watch();
  }
}
