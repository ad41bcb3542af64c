import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import { err } from '../../../domain/shared/result.js';
import { type JobResult, jobLength, type VerificationJob } from './verification-job.js';

/** A job that somebody has asked for. It is answered once, by whatever comes first. */
export class VerificationOrder {
  readonly job: VerificationJob;
  /** Characters of its document. */
  readonly length: number;
  readonly #answer: (result: JobResult) => void;
  #deadline: NodeJS.Timeout | null = null;
  #endListening: () => void = () => undefined;
  #isAnswered = false;

  constructor(job: VerificationJob, answer: (result: JobResult) => void) {
    this.job = job;
    this.length = jobLength(job);
    this.#answer = answer;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** It is answered with `cancelled` when nobody waits for it any more, and `onCancel` called. */
  heed(cancellation: Cancellation, onCancel: () => void): void {
    this.#endListening = cancellation.onCancel(() => {
      this.answer(err('cancelled'));
      onCancel();
    });
    if (this.#isAnswered) this.#endListening();
  }

  /** It begins to wait: after `deadlineMs` it is answered with `overloaded`, and `onEnd` called. */
  startWaiting(deadlineMs: number, onEnd: () => void): void {
    this.#deadline = setTimeout(() => {
      this.answer(err('overloaded'));
      onEnd();
    }, deadlineMs);
  }

  /** It waits no longer, as its work begins. */
  endWaiting(): void {
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    this.#deadline = null;
  }

  answer(result: JobResult): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.endWaiting();
    this.#endListening();
    this.#answer(result);
  }
}
