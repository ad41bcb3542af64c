import { createHash } from 'node:crypto';
import type { CertificateFingerprints } from '../../../application/ports/shared/certificate-reader.js';

/** SHA-256 of octets, in lower-case hexadecimal. */
export const fingerprintOf = (der: Uint8Array): string => createHash('sha256').update(der).digest('hex');

/**
 * Fingerprints by Node's crypto. They have a file of their own: an agent that only compares fingerprints does not
 * load the libraries that read certificates.
 */
export const nodeCertificateFingerprints: CertificateFingerprints = { fingerprint: fingerprintOf };
