import type { UpstreamFailure, UpstreamRequest } from '../../../../application/ports/gateway/upstream-client.js';
import { RequestPatience } from '../pool/request-patience.js';

/** What a request waits for. */
export type Awaited = Parameters<RequestPatience['lateness']>[0];

/** Whose deadlines they are. */
export interface DeadlineUser {
  /** What it waits for now. */
  readonly awaited: Awaited;
  /** Changes whenever the upstream takes some of the body; null: none of it waits to be taken. */
  readonly progress: string | null;
  /** Nothing has come for as long as an upstream may be silent: what it owes, in words for a log; null where it owes nothing. */
  owed(): string | null;
  /** A deadline is over. */
  overdue(failure: UpstreamFailure): void;
}

/** How long one request waits: for the head of its answer, for the next sign of its upstream, and with its head for what follows. */
export class ExchangeDeadlines {
  readonly patience: RequestPatience;
  /** Silence of the upstream that is borne. */
  readonly readMs: number;
  #timeoutMs: number;
  readonly #user: DeadlineUser;
  #timer: NodeJS.Timeout | null = null;
  #silence: NodeJS.Timeout | null = null;
  /** As `DeadlineUser.progress` was when the silence began. */
  #progressBefore: string | null = null;

  /** @param readMs silence of the upstream that is borne, where the request does not say */
  constructor(
    request: Pick<UpstreamRequest, 'timeoutMs' | 'patienceMs' | 'readMs'>,
    readMs: number,
    user: DeadlineUser,
  ) {
    this.patience = new RequestPatience(request);
    this.#timeoutMs = request.timeoutMs;
    this.readMs = request.readMs ?? readMs;
    this.#user = user;
  }

  /** Counts the wait for a connection; of a body then what comes after the last of it. */
  startTimer(): void {
    this.#timer ??= setTimeout(() => this.#user.overdue(this.patience.lateness(this.#user.awaited)), this.#timeoutMs);
  }

  /** The timer counts this from now on: what is left of the request's time. */
  shorten(timeoutMs: number): void {
    this.#timeoutMs = timeoutMs;
  }

  stopTimer(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Calls back in so many milliseconds, in place of the timer. */
  holdFor(ms: number, callback: () => void): void {
    this.stopTimer();
    this.#timer = setTimeout(callback, ms);
  }

  /** From now on the upstream is not to be silent for long. */
  watch(): void {
    this.#silence = setTimeout(() => this.#noteSilence(), this.readMs);
  }

  /** The upstream is not silent, or has nothing to say. */
  refresh(): void {
    this.#silence?.refresh();
  }

  /** The upstream takes nothing of the body: its silence begins. */
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
