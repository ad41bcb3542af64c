import { parentPort } from 'node:worker_threads';
import { runJob, type VerificationJob } from './verification-job.js';
import { XmlCryptoDocumentVerifier } from './xml-crypto-document-verifier.js';

/**
 * The program of a WorkerDocumentVerifier thread: answers jobs one at a time. Does nothing outside
 * such a thread.
 */
export const serveVerification = (): void => {
  const verifier = new XmlCryptoDocumentVerifier();
  parentPort?.on('message', (job: VerificationJob) => {
    void runJob(verifier, job).then((result) => parentPort?.postMessage(result));
  });
};
