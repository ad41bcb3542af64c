import type { OutgoingHttpHeaders } from 'node:http2';
import type { HeaderList } from '../../../../domain/http/header-list.js';

/** Connection-specific fields are forbidden in HTTP/2 (RFC 9113, section 8.2.2). */
const connectionFields: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Repeatable fields that are not lists. */
const separate: ReadonlySet<string> = new Set(['set-cookie', 'www-authenticate', 'proxy-authenticate', 'link']);

/**
 * Response fields for node:http2: lower-case names, no connection-specific fields. Repeated fields
 * are joined (RFC 9110, section 5.3), except `set-cookie` and challenges. Equal repeated values are
 * dropped, since Node refuses a second Content-Type or ETag.
 */
export const http2ResponseFields = (headers: HeaderList): OutgoingHttpHeaders => {
  const fields: Record<string, string | string[]> = Object.create(null);
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = (headers[index] as string).toLowerCase();
    const value = headers[index + 1] as string;
    const before = fields[name];
    if (before === undefined) {
      if (!connectionFields.has(name) && !name.startsWith(':')) fields[name] = value;
    } else if (separate.has(name)) {
      if (typeof before === 'string') fields[name] = [before, value];
      else before.push(value);
    } else if (before !== value) fields[name] = `${before}, ${value}`;
  }
  return fields;
};
