import { X509Certificate } from 'node:crypto';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import { pemCertificateBlocks } from './pem-blocks.js';

/** Every certificate of a PEM text, one at the least. */
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

/** `1st`, `2nd` and so on, of an index. */
export const ordinal = (index: number): string => {
  const number = index + 1;
  const tens = number % 100;
  if (tens >= 11 && tens <= 13) return `${number}th`;
  return `${number}${['th', 'st', 'nd', 'rd'][number % 10] ?? 'th'}`;
};

const dayMs = 86_400_000;

/** How long before its end a certificate is spoken of. */
const soonDays = 14;

/** What is to be said of the dates of certificates; `what` names them, as in `the certificate`. */
export const dateWarnings = (
  what: string,
  certificates: readonly X509Certificate[],
  nowMs: number,
): readonly string[] =>
  certificates.flatMap((certificate) => {
    const { validFrom, validTo, subject } = certificate;
    const named = `${what} "${subject.replaceAll('\n', ', ')}"`;
    const leftMs = Date.parse(validTo) - nowMs;
    if (leftMs < 0) return [`${named} has expired on ${validTo}`];
    if (Date.parse(validFrom) > nowMs) return [`${named} is not valid before ${validFrom}`];
    if (leftMs < soonDays * dayMs) return [`${named} expires soon, on ${validTo}`];
    return [];
  });

/** Quoted parts hold what is no DNS name, and separators that are none. */
const quoted = /"(?:[^"\\]|\\.)*"/g;

/** The DNS names of a certificate's subjectAltName (RFC 6125, section 6.4.4: the common name does not count). */
export const dnsNames = ({ subjectAltName }: X509Certificate): readonly string[] =>
  (subjectAltName ?? '')
    .replace(quoted, '')
    .split(', ')
    .filter((entry) => entry.startsWith('DNS:') && entry.length > 4)
    .map((entry) => entry.slice(4));
