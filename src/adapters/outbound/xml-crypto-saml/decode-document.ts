import { inflateRawSync } from 'node:zlib';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import { documentShapeFault, logoutLimits, responseLimits } from '../../../domain/agent/xml/document-shape.js';
import type { ShapeLimits } from '../../../domain/agent/xml/markup-shape.js';
import { decodeBase64 } from '../../../domain/shared/base64.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { decodeUtf8 } from '../../../domain/shared/utf8.js';

/** Limits of a document, for each step before the parser. */
export interface DocumentBounds {
  /**
   * Characters as received: base64 with line ends, or a query parameter. Exceeds what the other
   * limits allow.
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
 * Decodes base64 with white space, since senders fold lines (RFC 2045, section 6.8); null if
 * invalid.
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

/**
 * Decodes an HTTP-POST document (SAML bindings, section 3.5.4) and checks its shape for the parser.
 */
export const decodePosted = (encoded: string, bounds: DocumentBounds): Result<string, DocumentRejection> => {
  if (encoded.length > bounds.encoded) return err('document_too_large');
  const octets = decodeFoldedBase64(encoded);
  return octets === null ? err('document_encoding') : checkedText(octets, bounds);
};

/** Removes padding to four characters: some senders pad base64url against RFC 7522, section 2.1. */
const unpadded = (text: string): string => {
  if (text.length % 4 !== 0 || !text.endsWith('=')) return text;
  return text.slice(0, text.endsWith('==') ? -2 : -1);
};

/**
 * Decodes a token: base64url, with or without padding, no white space. Checks its shape for the
 * parser.
 */
export const decodeToken = (encoded: string): Result<string, DocumentRejection> => {
  if (encoded.length > responseBounds.encoded) return err('document_too_large');
  const octets = decodeBase64(unpadded(encoded), 'url');
  return octets === null ? err('document_encoding') : checkedText(octets, responseBounds);
};

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

/** Result of zlib with `info`, which Node's types omit. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/**
 * Inflates an HTTP-Redirect logout message after base64 decoding (SAML bindings, section 3.4.4.1).
 */
export const inflateRedirected = (octets: Uint8Array): Result<string, DocumentRejection> => {
  try {
    const inflated: unknown = inflateRawSync(octets, { maxOutputLength: logoutBounds.octets, info: true });
    const { buffer, engine } = inflated as Inflated;
    // Refuses data after the end of the stream.
    return engine.bytesWritten === octets.length ? checkedText(buffer, logoutBounds) : err('document_encoding');
  } catch (error) {
    return err(isTooLarge(error) ? 'document_too_large' : 'document_encoding');
  }
};

/** Decodes decrypted octets and checks their shape for the parser. */
export const decodeDecrypted = (octets: Uint8Array): Result<string, DocumentRejection> =>
  checkedText(octets, responseBounds);
