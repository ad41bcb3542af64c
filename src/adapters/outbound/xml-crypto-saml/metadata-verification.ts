import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import { metadataLimits } from '../../../domain/agent/xml/document-shape.js';
import { err } from '../../../domain/shared/result.js';
import type { JobResult, MetadataJob } from './verification-job.js';
import { VerificationThread } from './verification-thread.js';

/** Metadata that may wait, and its characters together. */
const maximumWaiting = 16;
const maximumCharacters = 4 * metadataLimits.characters;

interface WaitingMetadata {
  readonly job: MetadataJob;
  /** Of the wait for the thread. */
  readonly deadline: NodeJS.Timeout;
  /** The first result counts. */
  readonly answer: (result: JobResult) => void;
}

/**
 * Reads metadata on a thread of its own, one after the other, so that a federation's, which takes
 * seconds, keeps no document waiting. The thread ends when nothing is left: there is nothing to do
 * for it for hours.
 */
export class MetadataVerification {
  readonly #thread: VerificationThread;
  readonly #deadlineMs: number;
  readonly #waiting = new Set<WaitingMetadata>();
  #running: WaitingMetadata | null = null;
  #waitingCharacters = 0;
  #isStopped = false;

  /** @param deadlineMs of the wait for the thread, and then of the work */
  constructor(program: URL, deadlineMs: number) {
    this.#thread = new VerificationThread(program, deadlineMs);
    this.#deadlineMs = deadlineMs;
  }

  verify(job: MetadataJob, cancellation: Cancellation): Promise<JobResult> {
    const { length } = job.text;
    if (length > metadataLimits.characters) return Promise.resolve(err('document_too_large'));
    if (this.#isStopped) return Promise.resolve(err('verifier_failed'));
    if (this.#waiting.size >= maximumWaiting || this.#waitingCharacters + length > maximumCharacters) {
      return Promise.resolve(err('overloaded'));
    }
    return new Promise((resolve) => {
      let endListening = (): void => undefined;
      const deadline = setTimeout(() => this.#leave(entry, err('overloaded')), this.#deadlineMs);
      const answer = (result: JobResult): void => {
        endListening();
        resolve(result);
      };
      const entry: WaitingMetadata = { job, deadline, answer };
      this.#waiting.add(entry);
      this.#waitingCharacters += length;
      endListening = cancellation.onCancel(() => this.#cancel(entry));
      this.#runNext();
    });
  }

  /** What is not finished, and whatever comes after that, is answered with `verifier_failed`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const entry of [...this.#waiting]) this.#leave(entry, err('verifier_failed'));
    await this.#thread.stop();
  }

  #cancel(entry: WaitingMetadata): void {
    this.#leave(entry, err('cancelled'));
    if (this.#running === entry) void this.#thread.stop();
  }

  /** Answers it where it waits or, whatever its thread may still say, where it is at work. */
  #leave(entry: WaitingMetadata, result: JobResult): void {
    this.#remove(entry);
    entry.answer(result);
  }

  #remove(entry: WaitingMetadata): void {
    clearTimeout(entry.deadline);
    if (this.#waiting.delete(entry)) this.#waitingCharacters -= entry.job.text.length;
  }

  #runNext(): void {
    const [next] = this.#waiting;
    if (this.#running !== null || next === undefined) return;
    this.#remove(next);
    void this.#run(next);
  }

  async #run(entry: WaitingMetadata): Promise<void> {
    this.#running = entry;
    const result = await this.#thread.run(entry.job);
    this.#running = null;
    if (this.#waiting.size === 0) void this.#thread.stop();
    entry.answer(result);
    this.#runNext();
  }
}
