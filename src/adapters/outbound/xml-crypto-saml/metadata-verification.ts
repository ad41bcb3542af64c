import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import { metadataLimits } from '../../../domain/agent/xml/document-shape.js';
import { err } from '../../../domain/shared/result.js';
import type { JobResult, MetadataJob } from './verification-job.js';
import { VerificationThread } from './verification-thread.js';

/** Limits of the queue: documents and total characters. */
const maxQueued = 16;
const maxQueuedCharacters = 4 * metadataLimits.characters;

interface QueuedMetadata {
  readonly job: MetadataJob;
  /** Deadline of the time in the queue. */
  readonly deadline: NodeJS.Timeout;
  /** Only the first result counts. */
  readonly answer: (result: JobResult) => void;
}

/**
 * Reads metadata on its own thread, one document at a time: a federation's metadata takes seconds
 * and must not delay other documents. The thread ends when idle, usually for hours.
 */
export class MetadataVerification {
  readonly #thread: VerificationThread;
  readonly #deadlineMs: number;
  readonly #queue = new Set<QueuedMetadata>();
  #running: QueuedMetadata | null = null;
  #queuedCharacters = 0;
  #isStopped = false;

  /** @param deadlineMs limit of the time in the queue, and again of the work */
  constructor(program: URL, deadlineMs: number) {
    this.#thread = new VerificationThread(program, deadlineMs);
    this.#deadlineMs = deadlineMs;
  }

  verify(job: MetadataJob, cancellation: Cancellation): Promise<JobResult> {
    const { length } = job.text;
    if (length > metadataLimits.characters) return Promise.resolve(err('document_too_large'));
    if (this.#isStopped) return Promise.resolve(err('verifier_failed'));
    if (this.#queue.size >= maxQueued || this.#queuedCharacters + length > maxQueuedCharacters) {
      return Promise.resolve(err('overloaded'));
    }
    return new Promise((resolve) => {
      let endListening = (): void => undefined;
      const deadline = setTimeout(() => this.#finish(entry, err('overloaded')), this.#deadlineMs);
      const answer = (result: JobResult): void => {
        endListening();
        resolve(result);
      };
      const entry: QueuedMetadata = { job, deadline, answer };
      this.#queue.add(entry);
      this.#queuedCharacters += length;
      endListening = cancellation.onCancel(() => this.#cancel(entry));
      this.#runNext();
    });
  }

  /** Answers pending and later jobs with `verifier_failed`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const entry of [...this.#queue]) this.#finish(entry, err('verifier_failed'));
    await this.#thread.stop();
  }

  #cancel(entry: QueuedMetadata): void {
    this.#finish(entry, err('cancelled'));
    if (this.#running === entry) void this.#thread.stop();
  }

  /** Answers a queued or running entry; a later result of the thread is ignored. */
  #finish(entry: QueuedMetadata, result: JobResult): void {
    this.#remove(entry);
    entry.answer(result);
  }

  #remove(entry: QueuedMetadata): void {
    clearTimeout(entry.deadline);
    if (this.#queue.delete(entry)) this.#queuedCharacters -= entry.job.text.length;
  }

  #runNext(): void {
    const [next] = this.#queue;
    if (this.#running !== null || next === undefined) return;
    this.#remove(next);
    void this.#run(next);
  }

  async #run(entry: QueuedMetadata): Promise<void> {
    this.#running = entry;
    const result = await this.#thread.run(entry.job);
    this.#running = null;
    if (this.#queue.size === 0) void this.#thread.stop();
    entry.answer(result);
    this.#runNext();
  }
}
