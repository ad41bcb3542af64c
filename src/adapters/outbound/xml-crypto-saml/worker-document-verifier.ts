import type {
  DocumentKeys,
  ReceivedMessage,
  SamlDocumentVerifier,
  VerifierFailure,
} from '../../../application/ports/saml-document-verifier.js';
import type { VerifiedResponse } from '../../../domain/saml/assertion.js';
import type { LogoutRequest, LogoutResponse } from '../../../domain/saml/logout-message.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { metadataLimits } from '../../../domain/xml/metadata-shape.js';
import { maximumEncodedLength } from './decode-document.js';
import { type JobResult, jobKeys, jobLength, type VerificationJob } from './verification-job.js';
import { VerificationThread } from './verification-thread.js';

/** Bounds of the work that is taken on. */
export interface VerificationLimits {
  readonly threads: number;
  /** Documents that wait for a thread, and their characters together. */
  readonly waiting: number;
  readonly waitingCharacters: number;
  /** Of the wait for a thread, and then of the work on the document. */
  readonly deadlineMs: number;
}

const usualLimits: VerificationLimits = {
  threads: 2,
  waiting: 256,
  waitingCharacters: 64 * 1024 * 1024,
  deadlineMs: 5000,
};

interface WaitingJob {
  readonly job: VerificationJob;
  readonly answer: (result: JobResult) => void;
  readonly deadline: NodeJS.Timeout;
}

type Verified<Value> = Promise<Result<Value, VerifierFailure>>;

/**
 * Verifies documents on threads of their own, which are started when they are first needed. `program` is the built
 * main-saml-verifier. Documents wait in the order in which they came; one that waits too long, or finds too many others waiting, is
 * refused with `overloaded`.
 */
export class WorkerDocumentVerifier implements SamlDocumentVerifier {
  readonly #limits: VerificationLimits;
  readonly #threads: readonly VerificationThread[];
  readonly #waiting = new Set<WaitingJob>();
  #waitingCharacters = 0;
  #isStopped = false;

  constructor(program: URL, limits: Partial<VerificationLimits> = {}) {
    this.#limits = { ...usualLimits, ...limits };
    const { threads, deadlineMs } = this.#limits;
    this.#threads = Array.from({ length: threads }, () => new VerificationThread(program, deadlineMs));
  }

  verifyResponse(encoded: string, keys: DocumentKeys): Verified<VerifiedResponse> {
    return this.#verify({ kind: 'response', encoded, keys: jobKeys(keys) }, maximumEncodedLength);
  }

  verifyLogoutRequest(message: ReceivedMessage, keys: DocumentKeys): Verified<LogoutRequest> {
    return this.#verify({ kind: 'logout_request', message, keys: jobKeys(keys) }, maximumEncodedLength);
  }

  verifyLogoutResponse(message: ReceivedMessage, keys: DocumentKeys): Verified<LogoutResponse> {
    return this.#verify({ kind: 'logout_response', message, keys: jobKeys(keys) }, maximumEncodedLength);
  }

  verifyMetadata(text: string, certificates: readonly string[]): Verified<string> {
    return this.#verify({ kind: 'metadata', text, certificates }, metadataLimits.characters);
  }

  /** Ends the threads; what they have not finished is answered with `verifier_failed`, as is whatever comes after that. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const waiting of [...this.#waiting]) this.#settle(waiting, err('verifier_failed'));
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }

  async #verify<Value>(job: VerificationJob, maximumLength: number): Verified<Value> {
    const length = jobLength(job);
    if (length > maximumLength) return err('document_too_large');
    if (this.#isStopped) return err('verifier_failed');
    const idle = this.#threads.find((thread) => thread.isIdle);
    const result = idle === undefined ? await this.#wait(job, length) : await this.#run(idle, job);
    // The job says what its result is, and the thread runs this program's own code.
    return result as Result<Value, VerifierFailure>;
  }

  async #run(thread: VerificationThread, job: VerificationJob): Promise<JobResult> {
    const result = await thread.run(job);
    this.#runNext();
    return result;
  }

  #wait(job: VerificationJob, length: number): Promise<JobResult> {
    const { waiting, waitingCharacters, deadlineMs } = this.#limits;
    if (this.#waiting.size >= waiting || this.#waitingCharacters + length > waitingCharacters) {
      return Promise.resolve(err('overloaded'));
    }
    return new Promise((resolve) => {
      const deadline = setTimeout(() => this.#settle(entry, err('overloaded')), deadlineMs);
      const entry: WaitingJob = { job, answer: resolve, deadline };
      this.#waiting.add(entry);
      this.#waitingCharacters += length;
    });
  }

  /** Takes it from those that wait. */
  #remove(entry: WaitingJob): void {
    clearTimeout(entry.deadline);
    if (this.#waiting.delete(entry)) this.#waitingCharacters -= jobLength(entry.job);
  }

  #settle(entry: WaitingJob, result: JobResult): void {
    this.#remove(entry);
    entry.answer(result);
  }

  #runNext(): void {
    const idle = this.#threads.find((thread) => thread.isIdle);
    const [next] = this.#waiting;
    if (idle === undefined || next === undefined) return;
    this.#remove(next);
    void this.#run(idle, next.job).then(next.answer);
  }
}
