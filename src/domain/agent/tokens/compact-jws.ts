import { decodeBase64 } from '../../shared/base64.js';
import type { JsonObject } from '../../shared/json.js';
import { err, ok, type Result } from '../../shared/result.js';
import { parseStrictJsonObject } from '../../shared/strict-json.js';
import { decodeUtf8 } from '../../shared/utf8.js';
import type { Claims } from './claims.js';
import { parseClaims } from './parse-claims.js';
import type { TokenRejection } from './token-rejection.js';

/** Maximum characters of a token. */
export const maximumTokenLength = 16 * 1024;

/** The decoded parts of a JWS. Not verified. */
export interface CompactJws {
  readonly header: JsonObject;
  readonly payload: Claims;
}

const decodePart = <Part>(part: string, parse: (text: string) => Part | null): Part | null => {
  const octets = decodeBase64(part, 'url');
  const text = octets === null ? null : decodeUtf8(octets);
  return text === null ? null : parse(text);
};

/**
 * Parses a JWS (RFC 7515, section 7.1): exactly three parts in canonical base64url; header and payload are JSON objects
 * in UTF-8 without duplicate members. Strict, so that all parsers read the same.
 */
export const parseCompactJws = (token: string): Result<CompactJws, TokenRejection> => {
  if (token.length > maximumTokenLength) return err('too_large');
  const parts = token.split('.');
  if (parts.length !== 3 || decodeBase64(parts[2] as string, 'url') === null) return err('malformed');
  const header = decodePart(parts[0] as string, parseStrictJsonObject);
  const payload = decodePart(parts[1] as string, parseClaims);
  return header === null || payload === null ? err('malformed') : ok({ header, payload });
};
