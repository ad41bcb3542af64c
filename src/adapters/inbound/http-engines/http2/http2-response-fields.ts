import type { OutgoingHttpHeaders } from 'node:http2';
import type { HeaderList } from '../../../../domain/http/header-list.js';

/** Fields that speak of one connection have no place in HTTP/2 (RFC 9113, section 8.2.2). */
const connectionFields: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Those that a response may have several of without their being a list. */
const separate: ReadonlySet<string> = new Set(['set-cookie', 'www-authenticate', 'proxy-authenticate', 'link']);

/**
 * Fields as Node's HTTP/2 takes them: names in lower case, none that speaks of the connection. Of a field that came
 * several times the values are joined (RFC 9110, section 5.3), but for those that cannot be, and for a value that is only
 * repeated: Node would refuse a second Content-Type or ETag.
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
