import type { Certificate, SignedOctets } from '../../../domain/shared/certificate.js';
import type { Result } from '../../../domain/shared/result.js';

/** A certificate that can verify signatures. */
export interface ReadCertificate {
  readonly certificate: Certificate;
  /** Whether the key of `issuer` signed this certificate. Never throws. */
  isSignedBy(issuer: ReadCertificate): boolean;
  /** Whether the key of this certificate signed the octets, with a strong algorithm. Never throws. */
  hasSigned(signed: SignedOctets): boolean;
}

/** Identifies certificates by their content. */
export interface CertificateFingerprints {
  /**
   * SHA-256 of DER octets in lower-case hexadecimal. Does not check that they are a certificate.
   */
  fingerprint(der: Uint8Array): string;
}

/** Reads X.509 certificates (RFC 5280). An error is one clause, as in `holds no certificate`. */
export interface CertificateReader {
  /** Reads exactly one certificate in DER. */
  read(der: Uint8Array): Result<ReadCertificate, string>;
  /** Reads every certificate of a PEM text, at least one. A private key in the text is an error. */
  readPem(text: string): Result<readonly ReadCertificate[], string>;
}

/** Loads the reader on demand: its libraries load slowly, and few configurations need them. */
export type CertificateReaderLoader = () => Promise<CertificateReader>;
