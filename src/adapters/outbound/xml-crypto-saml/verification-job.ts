import type {
  DocumentKeys,
  MetadataQuery,
  ReceivedMessage,
  UnusableMetadata,
  VerifierFailure,
} from '../../../application/ports/agent/saml-document-verifier.js';
import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { Secret } from '../../../domain/shared/secret.js';
import type { XmlCryptoDocumentVerifier } from './xml-crypto-document-verifier.js';

/** A requested job. It is answered once, by the first result. */
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

  /** On cancellation, answers with `cancelled` and calls `onCancel`. */
  cancelWith(cancellation: Cancellation, onCancel: () => void): void {
    this.#endListening = cancellation.onCancel(() => {
      this.answer(err('cancelled'));
      onCancel();
    });
    if (this.#isAnswered) this.#endListening();
  }

  /**
   * Starts the time in the queue. After `deadlineMs`, answers with `overloaded` and calls `onEnd`.
   */
  startWaiting(deadlineMs: number, onEnd: () => void): void {
    this.#deadline = setTimeout(() => {
      this.answer(err('overloaded'));
      onEnd();
    }, deadlineMs);
  }

  /** Ends the time in the queue, because the work starts. */
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

/** Keys for a thread: structured cloning copies data, not objects that hide it. */
export interface JobKeys {
  readonly signingCertificates: readonly string[];
  readonly decryptionKey: string | null;
}

/** A job that reads metadata. */
export interface MetadataJob {
  readonly kind: 'metadata';
  readonly text: string;
  readonly query: MetadataQuery;
}

/** A job for a thread. */
export type VerificationJob =
  | { readonly kind: 'response'; readonly encoded: string; readonly keys: JobKeys }
  | { readonly kind: 'assertion'; readonly encoded: string; readonly keys: JobKeys }
  | { readonly kind: 'logout_request'; readonly message: ReceivedMessage; readonly keys: JobKeys }
  | { readonly kind: 'logout_response'; readonly message: ReceivedMessage; readonly keys: JobKeys }
  | MetadataJob
  /** Prepares a thread for the first document. */
  | { readonly kind: 'warm_up' };

/** The result of a job; the job determines the type of its value. */
export type JobResult = Result<unknown, VerifierFailure | UnusableMetadata>;

export const jobKeys = ({ signingCertificates, decryptionKey }: DocumentKeys): JobKeys => ({
  signingCertificates,
  decryptionKey: decryptionKey?.reveal() ?? null,
});

const documentKeys = ({ signingCertificates, decryptionKey }: JobKeys): DocumentKeys => ({
  signingCertificates,
  decryptionKey: decryptionKey === null ? null : new Secret(decryptionKey),
});

const messageLength = (message: ReceivedMessage): number => {
  if (message.binding === 'post') return message.encoded.length;
  const { relayState, signature } = message;
  const signatureLength = signature === null ? 0 : signature.algorithm.length + signature.value.length;
  return message.message.length + (relayState?.length ?? 0) + signatureLength;
};

/** Characters of a job's document. */
export const jobLength = (job: VerificationJob): number => {
  switch (job.kind) {
    case 'response':
    case 'assertion':
      return job.encoded.length;
    case 'metadata':
      return job.text.length;
    case 'warm_up':
      return 0;
    default:
      return messageLength(job.message);
  }
};

/** Runs a job. */
export const runJob = (verifier: XmlCryptoDocumentVerifier, job: VerificationJob): Promise<JobResult> => {
  switch (job.kind) {
    case 'response':
      return verifier.verifyResponse(job.encoded, documentKeys(job.keys));
    case 'assertion':
      return verifier.verifyAssertion(job.encoded, documentKeys(job.keys));
    case 'logout_request':
      return verifier.verifyLogoutRequest(job.message, documentKeys(job.keys));
    case 'logout_response':
      return verifier.verifyLogoutResponse(job.message, documentKeys(job.keys));
    case 'metadata':
      return verifier.verifyMetadata(job.text, job.query);
    case 'warm_up':
      return verifier.warmUp().then((isWarm) => (isWarm ? ok(undefined) : err('verifier_failed')));
  }
};
