import type { UpstreamFailure, UpstreamRequest } from '../../../../application/ports/gateway/upstream-client.js';
import { RequestTimeout } from '../pool/request-timeout.js';

/** What the request waits for. */
export type Awaited = Parameters<RequestTimeout['timeoutFailure']>[0];

/** Owner of the deadlines. */
export interface DeadlineUser {
  /** What the request waits for. */
  readonly awaited: Awaited;
  /** Changes when the upstream takes body data; null if none is pending. */
  readonly progress: string | null;
  /** The read timeout passed. Returns what the upstream owes, as log text, or null for nothing. */
  owed(): string | null;
  /** A deadline passed. */
  overdue(failure: UpstreamFailure): void;
}

/** Deadlines of one request: response head, upstream silence, and the hold of the head. */
export class ExchangeDeadlines {
  readonly requestTimeout: RequestTimeout;
  /** Longest upstream silence, in milliseconds. */
  readonly readMs: number;
  #timeoutMs: number;
  readonly #user: DeadlineUser;
  #timer: NodeJS.Timeout | null = null;
  #silence: NodeJS.Timeout | null = null;
  /** `DeadlineUser.progress` at the start of the silence. */
  #progressBefore: string | null = null;

  /** @param readMs default for the longest upstream silence */
  constructor(
    request: Pick<UpstreamRequest, 'timeoutMs' | 'configuredTimeoutMs' | 'readMs'>,
    readMs: number,
    user: DeadlineUser,
  ) {
    this.requestTimeout = new RequestTimeout(request);
    this.#timeoutMs = request.timeoutMs;
    this.readMs = request.readMs ?? readMs;
    this.#user = user;
  }

  /** Starts the timeout: for the connection, and after a body for the response. */
  startTimer(): void {
    this.#timer ??= setTimeout(
      () => this.#user.overdue(this.requestTimeout.timeoutFailure(this.#user.awaited)),
      this.#timeoutMs,
    );
  }

  /** Reduces the timeout to the rest of the request's time. */
  shorten(timeoutMs: number): void {
    this.#timeoutMs = timeoutMs;
  }

  stopTimer(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Calls back after `ms` and replaces the timer. */
  holdFor(ms: number, callback: () => void): void {
    this.stopTimer();
    this.#timer = setTimeout(callback, ms);
  }

  /** Starts the read timeout. */
  watch(): void {
    this.#silence = setTimeout(() => this.#noteSilence(), this.readMs);
  }

  /** Restarts the read timeout. */
  refresh(): void {
    this.#silence?.refresh();
  }

  /** The upstream takes no body data: its silence begins. */
  noteBlocked(): void {
    this.#progressBefore = this.#user.progress;
    this.refresh();
  }

  stop(): void {
    this.stopTimer();
    if (this.#silence) clearTimeout(this.#silence);
    this.#silence = null;
  }

  #noteSilence(): void {
    const detail = this.#user.owed();
    const { progress } = this.#user;
    if (detail === null) this.refresh();
    else if (progress !== null && progress !== this.#progressBefore) this.noteBlocked();
    else this.#user.overdue({ code: 'timed_out', detail });
  }
}
