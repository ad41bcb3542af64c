import type { CertificateDates } from '../../../domain/shared/certificate-dates.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';

/** The service provider's key and certificate. */
export interface ServiceProviderKey {
  /** URI of the signature algorithm: RSA or ECDSA with SHA-256 (RFC 9231). */
  readonly signatureAlgorithm: string;
  /**
   * Signs the octets of the text off the calling thread. The signature is base64, for ECDSA r and s
   * (RFC 4050, section 3.3). Rejects if the cryptography fails.
   */
  sign(text: string): Promise<string>;
  /** DER in base64. */
  readonly certificate: string;
  /** The private key in PEM; null if the key cannot decrypt, as for EC keys. */
  readonly decryptionKey: Secret | null;
}

export interface SigningCertificate {
  /** DER in base64. */
  readonly der: string;
  readonly notAfterMs: number;
}

/**
 * Reads keys and certificates for single sign-on: RSA from 2048 bits, EC on P-256, P-384 and P-521.
 * Errors are one clause, as in `has no certificate`.
 */
export interface SamlKeys {
  /** Reads a key and its certificate, both PEM. */
  readServiceProviderKey(keyPem: string, certificatePem: string): Result<ServiceProviderKey, string>;
  /** Reads all certificates of a PEM file, at least one. */
  readCertificates(pem: string): Result<readonly SigningCertificate[], string>;
  /** Checks a certificate from metadata, DER in base64; white space is allowed. */
  readCertificate(der: string): Result<SigningCertificate, string>;
  /** Subject and end of a certificate, DER in base64; null if it is unreadable. */
  certificateDates(der: string): CertificateDates | null;
  /** Encodes a message in base64, for HTTP-POST. */
  encode(message: string): string;
  /** SHA-256 of the octets of a text, in base64. */
  digest(text: string): string;
  /** Deflates (RFC 1951) and encodes a message in base64, for HTTP-Redirect. */
  deflate(message: string): string;
}
