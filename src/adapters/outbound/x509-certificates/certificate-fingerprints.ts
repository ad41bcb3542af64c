import { createHash } from 'node:crypto';
import type { CertificateFingerprints } from '../../../application/ports/shared/certificate-reader.js';

/** SHA-256 of octets, in lower-case hexadecimal. */
export const fingerprintOf = (der: Uint8Array): string => createHash('sha256').update(der).digest('hex');

/** Fingerprints by Node's crypto, without the libraries that read certificates. */
export const nodeCertificateFingerprints: CertificateFingerprints = { fingerprint: fingerprintOf };
