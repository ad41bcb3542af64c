import { decodeBase64 } from '../../shared/base64.js';

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';
const whiteSpace = ' \t\r\n';

const skipWhiteSpace = (text: string, from: number): number => {
  let index = from;
  while (index < text.length && whiteSpace.includes(text[index] as string)) index += 1;
  return index;
};

const withoutWhiteSpace = (text: string): string => {
  let kept = '';
  for (const character of text) if (!whiteSpace.includes(character)) kept += character;
  return kept;
};

/** Octets in canonical base64, at least one; null otherwise. */
export const decodeDer = (base64: string): Uint8Array | null => {
  const der = decodeBase64(base64, 'standard');
  return der === null || der.length === 0 ? null : der;
};

/**
 * The DER of at most `most` PEM certificates (RFC 7468); null for none, more, or other content. Line ends may be spaces
 * or tabs, as in a header, or missing; the base64 must be canonical.
 */
export const readPemCertificates = (text: string, most: number): readonly Uint8Array[] | null => {
  const found: Uint8Array[] = [];
  let index = skipWhiteSpace(text, 0);
  while (index < text.length) {
    if (found.length === most || !text.startsWith(begin, index)) return null;
    const start = index + begin.length;
    const stop = text.indexOf(end, start);
    const der = stop < 0 ? null : decodeDer(withoutWhiteSpace(text.slice(start, stop)));
    if (der === null) return null;
    found.push(der);
    index = skipWhiteSpace(text, stop + end.length);
  }
  return found.length === 0 ? null : found;
};
