import { inflateRawSync } from 'node:zlib';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import { documentShapeFault, logoutLimits, responseLimits } from '../../../domain/agent/xml/document-shape.js';
import type { ShapeLimits } from '../../../domain/agent/xml/markup-shape.js';
import { decodeBase64 } from '../../../domain/shared/base64.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { decodeUtf8 } from '../../../domain/shared/utf8.js';

/** What a kind of document may have at most, at each step on the way to a parser. */
export interface DocumentBounds {
  /**
   * Characters as it came, in base64 with line ends, or as a parameter of a query: more than any
   * within the other bounds can need.
   */
  readonly encoded: number;
  readonly octets: number;
  readonly shape: ShapeLimits;
}

export const responseBounds: DocumentBounds = {
  encoded: 2 * 1024 * 1024,
  octets: 1024 * 1024,
  shape: responseLimits,
};

export const logoutBounds: DocumentBounds = { encoded: 128 * 1024, octets: 64 * 1024, shape: logoutLimits };

const whiteSpace = /[ \t\r\n]+/g;

/**
 * Octets of base64, in which white space may stand as senders fold their lines (RFC 2045, section
 * 6.8); null: it is none.
 */
export const decodeFoldedBase64 = (text: string): Uint8Array | null =>
  decodeBase64(text.replaceAll(whiteSpace, ''), 'standard');

const checkedText = (octets: Uint8Array, bounds: DocumentBounds): Result<string, DocumentRejection> => {
  if (octets.length > bounds.octets) return err('document_too_large');
  const text = decodeUtf8(octets);
  if (text === null) return err('document_encoding');
  const fault = documentShapeFault(text, bounds.shape);
  return fault === null ? ok(text) : err(fault);
};

/** The text of a document by HTTP-POST (SAML bindings, section 3.5.4), fit to be parsed. */
export const decodePosted = (encoded: string, bounds: DocumentBounds): Result<string, DocumentRejection> => {
  if (encoded.length > bounds.encoded) return err('document_too_large');
  const octets = decodeFoldedBase64(encoded);
  return octets === null ? err('document_encoding') : checkedText(octets, bounds);
};

/**
 * Some pad base64url, although it should not be (RFC 7522, section 2.1): to four characters, as
 * base64 is.
 */
const unpadded = (text: string): string => {
  if (text.length % 4 !== 0 || !text.endsWith('=')) return text;
  return text.slice(0, text.endsWith('==') ? -2 : -1);
};

/**
 * The text of a document that is a token: base64url, padded or not, without white space, fit to be
 * parsed.
 */
export const decodeToken = (encoded: string): Result<string, DocumentRejection> => {
  if (encoded.length > responseBounds.encoded) return err('document_too_large');
  const octets = decodeBase64(unpadded(encoded), 'url');
  return octets === null ? err('document_encoding') : checkedText(octets, responseBounds);
};

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

/** What zlib gives with `info` (types of Node do not know it). */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/**
 * The text of a message of single logout by HTTP-Redirect, from its octets once base64 is off (SAML
 * bindings, section 3.4.4.1).
 */
export const inflateRedirected = (octets: Uint8Array): Result<string, DocumentRejection> => {
  try {
    const inflated: unknown = inflateRawSync(octets, { maxOutputLength: logoutBounds.octets, info: true });
    const { buffer, engine } = inflated as Inflated;
    // What follows the end of the stream is no part of any document.
    return engine.bytesWritten === octets.length ? checkedText(buffer, logoutBounds) : err('document_encoding');
  } catch (error) {
    return err(isTooLarge(error) ? 'document_too_large' : 'document_encoding');
  }
};

/** The text of what has been decrypted, fit to be parsed. */
export const decodeDecrypted = (octets: Uint8Array): Result<string, DocumentRejection> =>
  checkedText(octets, responseBounds);
