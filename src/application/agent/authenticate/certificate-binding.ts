import {
  decodeForwardedCertificate,
  showsCertificate,
} from '../../../domain/agent/client-certificates/forwarded-certificate.js';
import type { CertificateCredential } from '../../../domain/agent/identity/request-credentials.js';
import type { CertificateFingerprints } from '../../ports/shared/certificate-reader.js';

/**
 * Compares certificate-bound tokens (RFC 8705, section 3) with the client certificate of the request. Does not check
 * the chain: only the gateway can set the header, after the TLS handshake proved possession of the key.
 */
export class CertificateBinding {
  readonly #fingerprints: CertificateFingerprints;

  constructor(fingerprints: CertificateFingerprints) {
    this.#fingerprints = fingerprints;
  }

  /**
   * Why the request may not use a token; null if it may.
   * @param bound SHA-256 of the certificate, in lower-case hexadecimal
   */
  refusal(bound: string, shown: CertificateCredential | null): 'missing_certificate' | 'wrong_certificate' | null {
    if (shown === null || !showsCertificate(shown)) return 'missing_certificate';
    const decoded = decodeForwardedCertificate(shown);
    if (!decoded.ok) return 'wrong_certificate';
    const { leaf, statedFingerprint } = decoded.value;
    const fingerprint = this.#fingerprints.fingerprint(leaf);
    const isStatedRightly = statedFingerprint === null || statedFingerprint === fingerprint;
    return isStatedRightly && fingerprint === bound ? null : 'wrong_certificate';
  }
}
