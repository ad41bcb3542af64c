import { err, ok, type Result } from '../../shared/result.js';
import { decodeUtf8 } from '../../shared/utf8.js';
import { derTags } from './der-values.js';
import { decodeDer } from './pem-certificates.js';
import { type RevocationList, type RevocationListFault, readRevocationList } from './revocation-list.js';

/** Maximum lists of a file. */
const maximumLists = 64;

const faultTexts: Readonly<Record<RevocationListFault, string>> = {
  malformed: 'is not a DER certificate revocation list',
  no_next_update: 'has no nextUpdate; let the authority issue lists that have one',
  partial: 'is indirect or covers only some certificates (issuingDistributionPoint); use a complete list',
  delta: 'is a delta list; use a complete list',
  unknown_critical: 'has an unknown critical extension',
  too_many: 'names more than 500000 certificates',
};

const beginMark = '-----BEGIN ';
const dashes = '-----';
const label = 'X509 CRL';
const endMark = `-----END ${label}-----`;
const maximumLabelLength = 64;

/** The DER of every list in a PEM text (RFC 7468). Ignores text around the blocks; refuses other blocks. */
const listBlocks = (text: string): Result<readonly Uint8Array[], string> => {
  const ders: Uint8Array[] = [];
  let begin = text.indexOf(beginMark);
  while (begin >= 0) {
    const labelStart = begin + beginMark.length;
    const body = labelStart + label.length + dashes.length;
    const isList = text.startsWith(label + dashes, labelStart);
    if (text.slice(labelStart, labelStart + maximumLabelLength).includes('PRIVATE KEY'))
      return err('holds a private key; remove it from this file');
    if (!isList) return err('holds a PEM block other than "X509 CRL"');
    if (ders.length === maximumLists) return err(`holds more than ${maximumLists} lists`);
    const end = text.indexOf(endMark, body);
    const der = end < 0 ? null : decodeDer(text.slice(body, end).replaceAll(/[ \t\r\n]/g, ''));
    if (der === null) return err(`holds a damaged list: number ${ders.length + 1}`);
    ders.push(der);
    begin = text.indexOf(beginMark, end + endMark.length);
  }
  return ders.length === 0 ? err('holds no certificate revocation list') : ok(ders);
};

/** The text of a file with PEM; null for another file. */
const pemText = (octets: Uint8Array): string | null => {
  // A text has no such octet, and decoding megabytes takes time.
  const isLongDer = octets[0] === derTags.sequence && (octets[1] as number) > 0x80;
  const text = isLongDer ? null : decodeUtf8(octets);
  return text?.includes(beginMark) === true || octets[0] !== derTags.sequence ? text : null;
};

/**
 * Reads a file with one certificate revocation list in DER, or with at least one in PEM. The error is one clause, as in
 * `holds no certificate revocation list`.
 */
export const readRevocationFile = (octets: Uint8Array): Result<readonly RevocationList[], string> => {
  const text = pemText(octets);
  if (text === null && octets[0] !== derTags.sequence) return err('is neither PEM nor DER');
  const ders = text === null ? ok([octets]) : listBlocks(text);
  if (!ders.ok) return ders;
  const lists: RevocationList[] = [];
  for (const [index, der] of ders.value.entries()) {
    const list = readRevocationList(der);
    if (!list.ok) {
      const which = text === null ? '' : `holds an unusable list: number ${index + 1} `;
      return err(which + faultTexts[list.error]);
    }
    lists.push(list.value);
  }
  return ok(lists);
};
