import { type OutgoingHttpHeaders, sensitiveHeaders } from 'node:http2';
import type { TargetClientOptions, UpstreamRequest } from '../../../../application/ports/gateway/upstream-client.js';
import { isFieldValue, isToken } from '../../../../domain/http/field-syntax.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';

/** Never indexed (RFC 7541, section 7.1.3): all clients share the compression table. */
const secretFields = ['authorization', 'cookie'];

/**
 * Hop-by-hop fields are malformed in HTTP/2 (RFC 9113, section 8.2.2); Host becomes `:authority`.
 */
const dropped: ReadonlySet<string> = new Set([
  'connection',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

type TargetOfRequest = Pick<TargetClientOptions, 'authority' | 'replacesHost' | 'tls'>;

/** A request head for node:http2. */
export interface Http2RequestFields {
  readonly fields: OutgoingHttpHeaders;
  /** Value of Content-Length, or null. */
  readonly contentLength: number | null;
}

/**
 * The request head (RFC 9113, section 8.3.1), or why it is invalid. Refuses what node:http2 would
 * split into several fields or write unchecked.
 */
export const requestFields = (
  { method, target, headers }: Pick<UpstreamRequest, 'method' | 'target' | 'headers'>,
  { authority, replacesHost, tls }: TargetOfRequest,
): Result<Http2RequestFields, string> => {
  if (!isToken(method)) return err('the method is no token');
  if (method === 'CONNECT') return err('CONNECT is not sent on');
  if (!isVisible(target)) return err('the target has a character that it cannot have');
  // Field names must not collide with Object.prototype.
  const fields: OutgoingHttpHeaders = Object.create(null) as OutgoingHttpHeaders;
  fields[':method'] = method;
  fields[':scheme'] = tls === null ? 'http' : 'https';
  fields[':authority'] = authority;
  fields[':path'] = target;
  let contentLength: number | null = null;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = (headers[index] as string).toLowerCase();
    const value = headers[index + 1] as string;
    if (!isToken(name)) return err('the name of a field is no token');
    if (!isFieldValue(value)) return err(`the value of ${name} has a character that it cannot have`);
    if (name === 'host' && value !== '' && !replacesHost) {
      if (!isVisible(value)) return err('the host has a character that it cannot have');
      fields[':authority'] = value;
    }
    if (dropped.has(name) || (name === 'te' && value !== 'trailers')) continue;
    if (name === 'content-length') {
      if (contentLength !== null || !isLength(value)) return err('Content-Length is not one number');
      contentLength = Number(value);
    }
    const before = fields[name];
    if (before === undefined) fields[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else fields[name] = [String(before), value];
  }
  (fields as { [sensitiveHeaders]?: readonly string[] })[sensitiveHeaders] = secretFields;
  return ok({ fields, contentLength });
};

const isVisible = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code === 0x7f || code > 0xff) return false;
  }
  return text.length > 0;
};

const isLength = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x30 || code > 0x39) return false;
  }
  return text.length > 0 && text.length < 16;
};
