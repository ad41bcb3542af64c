import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { TlsCertificate } from '../../application/ports/gateway/http-engine.js';
import { type CertificateDates, subjectText } from '../../domain/shared/certificate-dates.js';
import { err, ok, type Result } from '../../domain/shared/result.js';

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';

/** The certificates of a PEM text, each with its armour (RFC 7468); other text is skipped. */
const pemCertificateBlocks = (text: string): readonly string[] => {
  const blocks: string[] = [];
  let position = 0;
  for (;;) {
    const start = text.indexOf(begin, position);
    const stop = start < 0 ? -1 : text.indexOf(end, start);
    if (stop < 0) return blocks;
    position = stop + end.length;
    blocks.push(text.slice(start, position));
  }
};

/** All certificates of a PEM text; an error if there is none. */
export const readCertificates = (pem: string): Result<readonly X509Certificate[], string> => {
  const blocks = pemCertificateBlocks(pem);
  if (blocks.length === 0) return err('holds no certificate in PEM');
  const certificates: X509Certificate[] = [];
  for (const [index, block] of blocks.entries()) {
    try {
      certificates.push(new X509Certificate(block));
    } catch {
      return err(`holds a certificate that cannot be read, the ${ordinal(index)}`);
    }
  }
  return ok(certificates);
};

/** Ordinal of an index: `1st`, `2nd` and so on. */
export const ordinal = (index: number): string => {
  const number = index + 1;
  const tens = number % 100;
  if (tens >= 11 && tens <= 13) return `${number}th`;
  return `${number}${['th', 'st', 'nd', 'rd'][number % 10] ?? 'th'}`;
};

/** The subject; the alternative names of a certificate whose subject is empty. */
const nameOf = ({ subject, subjectAltName }: X509Certificate): string =>
  // Node's types hide that an empty subject is undefined.
  (subject as string | undefined) ?? subjectAltName ?? '';

/** The subject and the expiry of each certificate. */
export const certificateDates = (certificates: readonly X509Certificate[]): readonly CertificateDates[] =>
  certificates.flatMap((certificate) => {
    const expiryMs = Date.parse(certificate.validTo);
    return Number.isNaN(expiryMs) ? [] : [{ subject: subjectText(nameOf(certificate)), expiryMs }];
  });

/** The certificates of a PEM text; empty if one of them is unreadable, or there is none. */
export const readCertificateDates = (pem: string): readonly CertificateDates[] => {
  const read = readCertificates(pem);
  return read.ok ? certificateDates(read.value) : [];
};

const dayMs = 86_400_000;

/** Days before expiry at which a warning starts. */
const soonDays = 14;

/** Warnings about certificate dates. `what` names the certificates, as in `the certificate`. */
export const dateWarnings = (
  what: string,
  certificates: readonly X509Certificate[],
  nowMs: number,
): readonly string[] =>
  certificates.flatMap((certificate) => {
    const { validFrom, validTo } = certificate;
    const named = `${what} "${nameOf(certificate).replaceAll('\n', ', ')}"`;
    const leftMs = Date.parse(validTo) - nowMs;
    if (leftMs < 0) return [`${named} has expired on ${validTo}`];
    if (Date.parse(validFrom) > nowMs) return [`${named} is not valid before ${validFrom}`];
    if (leftMs < soonDays * dayMs) return [`${named} expires soon, on ${validTo}`];
    return [];
  });

/**
 * Checks that a certificate, its intermediates and its private key match. Returns the leaf first.
 */
export const checkCertificate = ({
  chain,
  privateKey,
}: TlsCertificate): Result<readonly [X509Certificate, ...X509Certificate[]], string> => {
  const read = readCertificates(chain);
  if (!read.ok) return err(`the certificate file ${read.error}`);
  const [leaf, ...others] = read.value as readonly [X509Certificate, ...X509Certificate[]];
  const key = readKey(privateKey.reveal());
  if (!key.ok) return key;
  if (!leaf.checkPrivateKey(key.value)) {
    const belongs = others.some((certificate) => certificate.checkPrivateKey(key.value));
    return err(
      belongs
        ? 'the certificate of the private key has to be the first in its file'
        : 'the private key does not belong to the certificate',
    );
  }
  const chained = [leaf, ...others] as const;
  const broken = others.findIndex((issuer, index) => !hasIssued(issuer, chained[index] as X509Certificate));
  return broken < 0
    ? ok(chained)
    : err(`the chain is out of order: its ${ordinal(broken + 1)} certificate has not issued the one before it`);
};

const hasIssued = (issuer: X509Certificate, child: X509Certificate): boolean => {
  try {
    return child.checkIssued(issuer) && child.verify(issuer.publicKey);
  } catch {
    // A key that OpenSSL cannot use cannot have signed this certificate.
    return false;
  }
};

const readKey = (pem: string): Result<KeyObject, string> => {
  // PKCS #8, then the older OpenSSL format.
  if (pem.includes('BEGIN ENCRYPTED PRIVATE KEY') || pem.includes('Proc-Type: 4,ENCRYPTED')) {
    return err('the private key is encrypted; it has to be stored without a pass phrase');
  }
  try {
    return ok(createPrivateKey({ key: pem, format: 'pem' }));
  } catch {
    // OpenSSL's message may quote key material.
    return err('the key file holds no private key in PEM that can be read');
  }
};

/** Builds a context; the error is the reason of the TLS library. */
export const secureContext = (options: SecureContextOptions): Result<SecureContext, string> => {
  try {
    return ok(createSecureContext(options));
  } catch (error) {
    // Use the reason only, as in `ee key too small`; the message contains OpenSSL source locations.
    const reason = error instanceof Error && 'reason' in error ? String(error.reason) : 'no reason is given';
    return err(`the TLS library refuses it: ${reason}`);
  }
};
