import { inflateRawSync } from 'node:zlib';
import type { DocumentRejection } from '../../../domain/saml/document-rejection.js';
import { decodeBase64 } from '../../../domain/shared/base64.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { decodeUtf8 } from '../../../domain/shared/utf8.js';
import { documentShapeFault } from '../../../domain/xml/document-shape.js';

/** Octets of a document, by whatever way it came. */
const maximumOctets = 1024 * 1024;
/** Octets that a message by HTTP-Redirect may have once it is inflated: it came in a request line. */
const maximumInflatedOctets = 256 * 1024;
/** Characters of base64, with its line ends: those that no document within its bounds can need. */
export const maximumEncodedLength = 2 * 1024 * 1024;

const whiteSpace = /[ \t\r\n]+/g;

/** Octets of base64, in which white space may stand as senders fold their lines (RFC 2045, section 6.8); null: it is none. */
export const decodeFoldedBase64 = (text: string): Uint8Array | null =>
  decodeBase64(text.replaceAll(whiteSpace, ''), 'standard');

const checkedText = (octets: Uint8Array): Result<string, DocumentRejection> => {
  const text = decodeUtf8(octets);
  if (text === null) return err('document_encoding');
  const fault = documentShapeFault(text);
  return fault === null ? ok(text) : err(fault);
};

/** The text of a document by HTTP-POST (SAML bindings, section 3.5.4), fit to be parsed. */
export const decodePosted = (encoded: string): Result<string, DocumentRejection> => {
  if (encoded.length > maximumEncodedLength) return err('document_too_large');
  const octets = decodeFoldedBase64(encoded);
  if (octets === null) return err('document_encoding');
  return octets.length > maximumOctets ? err('document_too_large') : checkedText(octets);
};

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

/** What zlib gives with `info` (types of Node do not know it). */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** The text of a document by HTTP-Redirect, from its octets once base64 is off (SAML bindings, section 3.4.4.1). */
export const inflateRedirected = (octets: Uint8Array): Result<string, DocumentRejection> => {
  try {
    const inflated: unknown = inflateRawSync(octets, { maxOutputLength: maximumInflatedOctets, info: true });
    const { buffer, engine } = inflated as Inflated;
    // What follows the end of the stream is no part of any document.
    return engine.bytesWritten === octets.length ? checkedText(buffer) : err('document_encoding');
  } catch (error) {
    return err(isTooLarge(error) ? 'document_too_large' : 'document_encoding');
  }
};

/** The text of what has been decrypted, fit to be parsed. */
export const decodeDecrypted = (octets: Uint8Array): Result<string, DocumentRejection> =>
  octets.length > maximumOctets ? err('document_too_large') : checkedText(octets);
