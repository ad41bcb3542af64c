import { err, ok, type Result } from '../../../domain/shared/result.js';
import { decodeFoldedBase64 } from './decode-document.js';

/** Characters of a file, and certificates in it: an identity provider has a few, while they roll over. */
const maximumCharacters = 1024 * 1024;
const maximumCertificates = 64;

const beginMark = '-----BEGIN ';
const certificateBegin = '-----BEGIN CERTIFICATE-----';
const certificateEnd = '-----END CERTIFICATE-----';

/** The DER of all certificates in PEM (RFC 7468), at least one; text around the blocks is explanation. The error is one clause. */
export const pemCertificates = (text: string): Result<readonly Uint8Array[], string> => {
  if (text.length > maximumCharacters) return err(`has more than ${maximumCharacters} characters`);
  const ders: Uint8Array[] = [];
  let begin = text.indexOf(beginMark);
  while (begin >= 0) {
    if (!text.startsWith(certificateBegin, begin)) return err('holds a PEM block that is no "CERTIFICATE"');
    if (ders.length === maximumCertificates) return err(`holds more than ${maximumCertificates} certificates`);
    const end = text.indexOf(certificateEnd, begin);
    const der = end < 0 ? null : decodeFoldedBase64(text.slice(begin + certificateBegin.length, end));
    if (der === null) return err(`holds a certificate that is damaged: number ${ders.length + 1}`);
    ders.push(der);
    begin = text.indexOf(beginMark, end + certificateEnd.length);
  }
  return ders.length === 0 ? err('has no certificate in PEM form') : ok(ders);
};
