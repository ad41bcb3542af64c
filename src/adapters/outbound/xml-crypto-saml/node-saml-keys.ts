import { createHash, createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { SamlKeys, ServiceProviderKey, SigningCertificate } from '../../../application/ports/agent/saml-keys.js';
import { type CertificateDates, subjectText } from '../../../domain/shared/certificate-dates.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { Secret } from '../../../domain/shared/secret.js';
import { decodeFoldedBase64 } from './decode-document.js';
import { certificateOf, samlKeyFault } from './signing-keys.js';

/**
 * Maximum characters of a file and certificates in it; an identity provider has a few during a key
 * rollover.
 */
const maxCharacters = 1024 * 1024;
const maxCertificates = 64;

const beginMark = '-----BEGIN ';
const certificateBegin = '-----BEGIN CERTIFICATE-----';
const certificateEnd = '-----END CERTIFICATE-----';

/**
 * The DER of all certificates in PEM (RFC 7468), at least one. Ignores text around the blocks. The
 * error is one clause.
 */
const pemCertificates = (text: string): Result<readonly Uint8Array[], string> => {
  if (text.length > maxCharacters) return err(`has more than ${maxCharacters} characters`);
  const ders: Uint8Array[] = [];
  let begin = text.indexOf(beginMark);
  while (begin >= 0) {
    if (!text.startsWith(certificateBegin, begin)) return err('holds a PEM block other than "CERTIFICATE"');
    if (ders.length === maxCertificates) return err(`holds more than ${maxCertificates} certificates`);
    const end = text.indexOf(certificateEnd, begin);
    const der = end < 0 ? null : decodeFoldedBase64(text.slice(begin + certificateBegin.length, end));
    if (der === null) return err(`holds a damaged certificate: number ${ders.length + 1}`);
    ders.push(der);
    begin = text.indexOf(beginMark, end + certificateEnd.length);
  }
  return ders.length === 0 ? err('has no PEM certificate') : ok(ders);
};

const more = 'http://www.w3.org/2001/04/xmldsig-more#';

const privateKeyOf = (pem: string): KeyObject | null => {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
};

/** Signs in the thread pool of node:crypto. */
const signerOf =
  (key: KeyObject): ServiceProviderKey['sign'] =>
  (text) =>
    new Promise((resolve, reject) => {
      sign('sha256', Buffer.from(text, 'utf8'), { key, dsaEncoding: 'ieee-p1363' }, (error, signature) => {
        if (error === null) resolve(signature.toString('base64'));
        else reject(error);
      });
    });

const signingCertificate = (certificate: X509Certificate): Result<SigningCertificate, string> => {
  const fault = samlKeyFault(certificate.publicKey);
  const notAfterMs = Date.parse(certificate.validTo);
  if (fault !== null) return err(fault);
  return Number.isNaN(notAfterMs)
    ? err('has no valid expiry date')
    : ok({ der: certificate.raw.toString('base64'), notAfterMs });
};

const readDer = (der: Uint8Array | null): Result<SigningCertificate, string> => {
  const certificate = der === null ? null : certificateOf(der);
  try {
    return certificate === null ? err('is not a certificate') : signingCertificate(certificate);
  } catch {
    // Node parses the key on access.
    return err('has an unreadable key');
  }
};

/** Reads keys and certificates with node:crypto. */
export class NodeSamlKeys implements SamlKeys {
  readServiceProviderKey(keyPem: string, certificatePem: string): Result<ServiceProviderKey, string> {
    const key = privateKeyOf(keyPem);
    if (key === null) return err('has no unencrypted PEM private key');
    const fault = samlKeyFault(key);
    if (fault !== null) return err(fault);
    const certificates = this.readCertificates(certificatePem);
    if (!certificates.ok) return err(`its certificate file ${certificates.error}`);
    const [first, ...others] = certificates.value;
    if (first === undefined || others.length > 0)
      return err('its certificate file holds several certificates; use a file with one');
    if (!new X509Certificate(Buffer.from(first.der, 'base64')).checkPrivateKey(key)) {
      return err('does not match the certificate in sp-cert-file');
    }
    const isRsa = key.asymmetricKeyType === 'rsa';
    return ok({
      signatureAlgorithm: isRsa ? `${more}rsa-sha256` : `${more}ecdsa-sha256`,
      sign: signerOf(key),
      certificate: first.der,
      decryptionKey: isRsa ? new Secret(key.export({ type: 'pkcs8', format: 'pem' }).toString()) : null,
    });
  }

  readCertificates(pem: string): Result<readonly SigningCertificate[], string> {
    const ders = pemCertificates(pem);
    if (!ders.ok) return ders;
    const certificates: SigningCertificate[] = [];
    for (const [index, der] of ders.value.entries()) {
      const certificate = readDer(der);
      if (!certificate.ok) return err(`holds an unusable certificate: number ${index + 1} ${certificate.error}`);
      certificates.push(certificate.value);
    }
    return ok(certificates);
  }

  readCertificate(der: string): Result<SigningCertificate, string> {
    return readDer(decodeFoldedBase64(der));
  }

  certificateDates(der: string): CertificateDates | null {
    const octets = decodeFoldedBase64(der);
    const certificate = octets === null ? null : certificateOf(octets);
    if (certificate === null) return null;
    const expiryMs = Date.parse(certificate.validTo);
    // Node's types hide that an empty subject is undefined.
    const subject = (certificate.subject as string | undefined) ?? certificate.subjectAltName ?? '';
    return Number.isNaN(expiryMs) ? null : { subject: subjectText(subject), expiryMs };
  }

  encode(message: string): string {
    return Buffer.from(message, 'utf8').toString('base64');
  }

  digest(text: string): string {
    return createHash('sha256').update(text, 'utf8').digest('base64');
  }

  deflate(message: string): string {
    return deflateRawSync(Buffer.from(message, 'utf8')).toString('base64');
  }
}
