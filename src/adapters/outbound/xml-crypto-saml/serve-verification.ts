import { parentPort } from 'node:worker_threads';
import { doJob, type VerificationJob } from './verification-job.js';
import { XmlCryptoDocumentVerifier } from './xml-crypto-document-verifier.js';

/**
 * The program of a thread of WorkerDocumentVerifier: it answers one job after the other. Outside of
 * such a thread it does nothing.
 */
export const serveVerification = (): void => {
  const verifier = new XmlCryptoDocumentVerifier();
  parentPort?.on('message', (job: VerificationJob) => {
    void doJob(verifier, job).then((result) => parentPort?.postMessage(result));
  });
};
