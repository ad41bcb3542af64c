import type { LostSpans } from './lost-spans.js';

/** Bounds and counts queued spans: the SDK's queue does not report dropped ones. */
export class Outbox {
  readonly #capacity: number;
  readonly #lost: LostSpans;
  #queued = 0;
  #isOpen = true;

  constructor(capacity: number, lost: LostSpans) {
    this.#capacity = capacity;
    this.#lost = lost;
  }

  /** Admits one span. Returns false if it is lost because the queue is full or closed. */
  enter(): boolean {
    if (!this.#isOpen) return false;
    if (this.#queued >= this.#capacity) {
      this.#lost.add(1, 'the queue is full');
      return false;
    }
    this.#queued += 1;
    return true;
  }

  /** Removes spans that are being sent. */
  sent(spans: number): void {
    this.#queued -= spans;
  }

  /** Reports spans that could not be delivered. */
  failed(spans: number, reason: string): void {
    this.#lost.add(spans, reason);
  }

  /** Admits no more spans. */
  close(): void {
    this.#isOpen = false;
  }
}
