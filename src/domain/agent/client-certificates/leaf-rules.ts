import type { Certificate } from '../../shared/certificate.js';
import { leafDefects, mostTelling } from './certificate-defects.js';
import type { CertificateRejection } from './certificate-rejection.js';

/**
 * Judges what a client's own certificate says, whoever vouches for it: all there is to judge where no authority is
 * configured, because whoever terminated TLS has found the chain. Null where nothing is wrong.
 */
export const checkLeaf = (certificate: Certificate, nowMs: number): CertificateRejection | null =>
  mostTelling(leafDefects(certificate, false, nowMs));
