import type { LinkMessage, WorkerLink } from '../../../src/application/ports/shared/worker-link.js';
import type { ManualClock } from './manual-clock.js';
import type { ManualScheduler } from './manual-scheduler.js';

/**
 * One end of a link on which messages take their time, as long as a test says; they come in order, and none after the
 * end of the link.
 */
export class DelayedLink implements WorkerLink {
  isClosed = false;
  other: DelayedLink | null = null;
  /** Every message that left here, and when it did. */
  readonly sent: { readonly message: LinkMessage; readonly atMs: number }[] = [];
  readonly #clock: ManualClock;
  readonly #scheduler: ManualScheduler;
  readonly #delayMs: () => number;
  #arrivesAtMs = 0;
  #listener: ((message: LinkMessage, attachment: object | null) => void) | null = null;
  #closed: (() => void) | null = null;

  constructor(clock: ManualClock, scheduler: ManualScheduler, delayMs: () => number) {
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#delayMs = delayMs;
  }

  send(message: LinkMessage, attachment: object | null): void {
    if (this.isClosed) return;
    const nowMs = this.#clock.monotonicMs();
    const copy = structuredClone(message);
    this.sent.push({ message: copy, atMs: nowMs });
    this.#arrivesAtMs = Math.max(this.#arrivesAtMs, nowMs + this.#delayMs());
    this.#scheduler.after(this.#arrivesAtMs - nowMs, () => {
      if (this.other?.isClosed === false) this.other.#listener?.(copy, attachment);
    });
  }

  onMessage(listener: (message: LinkMessage, attachment: object | null) => void): void {
    this.#listener = listener;
  }

  onClosed(listener: () => void): void {
    if (this.isClosed) listener();
    else this.#closed = listener;
  }

  /** Ends both ends, as the death of a process does. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#closed?.();
    this.other?.close();
  }
}

/** Both ends of a link: the supervisor's, and the worker's. @param delayMs asked for each message */
export const delayedPair = (
  clock: ManualClock,
  scheduler: ManualScheduler,
  delayMs: () => number,
): readonly [DelayedLink, DelayedLink] => {
  const [one, other] = [new DelayedLink(clock, scheduler, delayMs), new DelayedLink(clock, scheduler, delayMs)];
  one.other = other;
  other.other = one;
  return [one, other];
};
