import { parseContentLength } from '../../../../domain/gateway/limits/request-limits.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';

/** Overhead per field in the size of a field section (RFC 9113, section 6.5.2). */
const fieldOverhead = 32;

/** Connection-specific fields make a message malformed (RFC 9113, section 8.2.2). */
const connectionFields: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** A request head in HTTP/1.1 terms. */
export interface StreamHead {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderList;
  /** Content-Length, or null. */
  readonly length: number | null;
  readonly expectsContinue: boolean;
  /** Size of the field section, in octets. */
  readonly octets: number;
}

export type StreamHeadFault = 'malformed' | 'header_too_large';

/** Visible US-ASCII only (RFC 3986). */
const isTarget = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code >= 0x7f) return false;
  }
  return text.length > 0;
};

/**
 * Reads a field section, pseudo-header fields first. nghttp2 has checked their number, order and
 * characters. The authority becomes the Host field; a different Host stays beside it and is refused
 * as a duplicate.
 */
export const readStreamHead = (fields: readonly string[], maxOctets: number): Result<StreamHead, StreamHeadFault> => {
  let method = '';
  let path: string | null = null;
  let authority: string | null = null;
  let cookie: string | null = null;
  let cookieAt = -1;
  let lengths: string[] | null = null;
  let expectsContinue = false;
  let octets = 0;
  const headers: string[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const name = fields[index] as string;
    const value = fields[index + 1] as string;
    octets += name.length + value.length + fieldOverhead;
    if (name.startsWith(':')) {
      if (name === ':method') method = value;
      else if (name === ':path') path = value;
      else if (name === ':authority') {
        authority = value;
        headers.push('host', value);
      } else if (name !== ':scheme') return err('malformed');
      continue;
    }
    if (connectionFields.has(name)) return err('malformed');
    if (name === 'cookie') {
      // Cookie crumbs form one field (RFC 9113, section 8.2.3).
      cookie = cookie === null ? value : `${cookie}; ${value}`;
      if (cookieAt >= 0) {
        headers[cookieAt] = cookie;
        continue;
      }
      cookieAt = headers.length + 1;
    } else if (name === 'content-length') {
      lengths ??= [];
      lengths.push(value);
    } else if (name === 'expect') expectsContinue = value.toLowerCase() === '100-continue';
    else if (name === 'host' && authority !== null && value.toLowerCase() === authority.toLowerCase()) continue;
    headers.push(name, value);
  }
  if (octets > maxOctets) return err('header_too_large');
  const length = parseContentLength(lengths ?? []);
  // CONNECT has an authority only (RFC 9113, section 8.5).
  const target = method === 'CONNECT' && path === null ? authority : path;
  if (!length.ok || target === null || !isTarget(target)) return err('malformed');
  return ok({ method, target, headers, length: length.value, expectsContinue, octets });
};
