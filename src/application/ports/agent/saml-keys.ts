import type { Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';

/** Our own key and certificate, ready for use. */
export interface ServiceProviderKey {
  /** URI of the algorithm that `sign` uses: RSA or ECDSA with SHA-256 (RFC 9231). */
  readonly signatureAlgorithm: string;
  /**
   * Signs the octets of the text, off the calling thread; the signature in base64, ECDSA as r and s (RFC 4050, section
   * 3.3). Rejects where the cryptography fails.
   */
  sign(text: string): Promise<string>;
  /** DER in base64. */
  readonly certificate: string;
  /** The private key in PEM; null where it cannot decrypt, as EC keys cannot here. */
  readonly decryptionKey: Secret | null;
}

export interface SigningCertificate {
  /** DER in base64. */
  readonly der: string;
  readonly notAfterMs: number;
}

/** Reads keys and certificates for single sign-on; errors are one clause, as in `has no certificate`. RSA from 2048 bits, EC on P-256, P-384 and P-521. */
export interface SamlKeys {
  /** A key and the certificate that belongs to it, both PEM. */
  readServiceProviderKey(keyPem: string, certificatePem: string): Result<ServiceProviderKey, string>;
  /** All certificates of a PEM file, at least one. */
  readCertificates(pem: string): Result<readonly SigningCertificate[], string>;
  /** Checks one that metadata holds, DER in base64, white space allowed. */
  readCertificate(der: string): Result<SigningCertificate, string>;
  /** Encodes a message in base64, for HTTP-POST. */
  encode(message: string): string;
  /** SHA-256 of the octets of a text, in base64. */
  digest(text: string): string;
  /** Deflates (RFC 1951) and encodes a message in base64, for HTTP-Redirect. */
  deflate(message: string): string;
}
