import type { Certificate } from '../../../domain/shared/certificate.js';
import type { Result } from '../../../domain/shared/result.js';

/** A certificate with the means to check signatures by it. */
export interface ReadCertificate {
  readonly certificate: Certificate;
  /** Whether its signature was made with the key of `issuer`. Never throws. */
  isSignedBy(issuer: ReadCertificate): boolean;
}

/** Names certificates by their content. */
export interface CertificateFingerprints {
  /** SHA-256 of octets in DER, in lower-case hexadecimal; whether they are a certificate is not looked at. */
  fingerprint(der: Uint8Array): string;
}

/** Reads X.509 certificates (RFC 5280). An error is one clause, as in `holds no certificate`. */
export interface CertificateReader {
  /** The octets of exactly one certificate in DER. */
  read(der: Uint8Array): Result<ReadCertificate, string>;
  /** Every certificate of a PEM text, one at the least; a private key in it is an error. */
  readPem(text: string): Result<readonly ReadCertificate[], string>;
}

/** Loads the reader: its libraries take long, and few configurations need them. */
export type CertificateReaderLoader = () => Promise<CertificateReader>;
