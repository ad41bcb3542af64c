import type { LostSpans } from './lost-spans.js';

/** Counts the spans that wait to be sent: the queue itself says nothing of those that it drops. */
export class Outbox {
  readonly #most: number;
  readonly #lost: LostSpans;
  #waiting = 0;
  #isOpen = true;

  constructor(most: number, lost: LostSpans) {
    this.#most = most;
    this.#lost = lost;
  }

  /** False: there is no room for one more, it is lost. */
  enter(): boolean {
    if (!this.#isOpen) return false;
    if (this.#waiting >= this.#most) {
      this.#lost.add(1, 'too many wait to be sent');
      return false;
    }
    this.#waiting += 1;
    return true;
  }

  /** So many are on their way. */
  left(spans: number): void {
    this.#waiting -= spans;
  }

  /** So many could not be delivered. */
  undelivered(spans: number, reason: string): void {
    this.#lost.add(spans, reason);
  }

  /** Nothing enters any more. */
  close(): void {
    this.#isOpen = false;
  }
}
