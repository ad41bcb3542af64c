import {
  decodeForwardedCertificate,
  showsCertificate,
} from '../../../domain/agent/client-certificates/forwarded-certificate.js';
import type { CertificateCredential } from '../../../domain/agent/identity/request-credentials.js';
import type { CertificateFingerprints } from '../../ports/shared/certificate-reader.js';

/**
 * Compares tokens that are bound to a client certificate (RFC 8705, section 3) with the certificate of the request.
 * Only the gateway can set its header, once the client has proved in the TLS handshake that it holds the key; so the
 * chain is not looked at here.
 */
export class CertificateBinding {
  readonly #fingerprints: CertificateFingerprints;

  constructor(fingerprints: CertificateFingerprints) {
    this.#fingerprints = fingerprints;
  }

  /**
   * Why the request may not use a token; null where it may.
   *
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
