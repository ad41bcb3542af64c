import { decodeDer } from '../../../domain/agent/client-certificates/pem-certificates.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** Far more than every public authority there is. */
const maximumCertificates = 1000;
const maximumCharacters = 4 * 1024 * 1024;

const beginMark = '-----BEGIN ';
const mark = '-----';
const certificateLabel = 'CERTIFICATE';
/** Of a label. */
const maximumLabelLength = 64;

/**
 * The DER of every certificate in a PEM text (RFC 7468). What stands outside of the blocks is explanation; a block that
 * holds anything but a certificate is an error. An error is one clause.
 */
export const certificateBlocks = (text: string): Result<readonly Uint8Array[], string> => {
  if (text.length > maximumCharacters) return err(`has more than ${maximumCharacters} characters`);
  const ders: Uint8Array[] = [];
  let begin = text.indexOf(beginMark);
  while (begin >= 0) {
    const labelStart = begin + beginMark.length;
    const labelEnd = text.indexOf(mark, labelStart);
    const label = text.slice(labelStart, Math.min(labelStart + maximumLabelLength, Math.max(labelStart, labelEnd)));
    if (label.includes('PRIVATE KEY')) return err('holds a private key, which belongs nowhere near this file');
    if (label !== certificateLabel) return err('holds a PEM block that is no "CERTIFICATE"');
    if (ders.length === maximumCertificates) return err(`holds more than ${maximumCertificates} certificates`);
    const bodyStart = labelEnd + mark.length;
    const endMark = `-----END ${label}-----`;
    const end = text.indexOf(endMark, bodyStart);
    const der = end < 0 ? null : decodeDer(text.slice(bodyStart, end).replaceAll(/[ \t\r\n]/g, ''));
    if (der === null) return err(`holds a certificate that is damaged: number ${ders.length + 1}`);
    ders.push(der);
    begin = text.indexOf(beginMark, end + endMark.length);
  }
  return ders.length === 0 ? err('holds no certificate in PEM form') : ok(ders);
};
