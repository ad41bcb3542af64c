import { createHash } from 'node:crypto';
import type { CertificateFingerprints } from '../../../application/ports/shared/certificate-reader.js';

/** SHA-256 of octets, in lower-case hexadecimal. */
export const fingerprintOf = (der: Uint8Array): string => createHash('sha256').update(der).digest('hex');

/**
 * Computes fingerprints with node:crypto. In its own file, so that an agent that only compares
 * fingerprints does not load the certificate libraries.
 */
export const nodeCertificateFingerprints: CertificateFingerprints = { fingerprint: fingerprintOf };
