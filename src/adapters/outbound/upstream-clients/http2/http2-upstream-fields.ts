import { isFieldValue, isToken } from '../../../../domain/http/field-syntax.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';

/** What a field section of a response cannot have: it concerns a connection of HTTP/1.1 (RFC 9113, section 8.2.2). */
const impossible: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** Octets of a head, by the count of RFC 9113, section 6.5.2. What node:http2 bounds is what the peer has agreed to. */
const maxOctets = 65_536;
const fieldOctets = 32;

/** The fields of a head or trailer section as they came, without pseudo-header fields; null where one is malformed, or all are too large. */
export const http2UpstreamFields = (raw: unknown): HeaderList | null => {
  if (!Array.isArray(raw)) return null;
  const list: string[] = [];
  let octets = 0;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = String(raw[index]);
    if (name === ':status') continue;
    const value = String(raw[index + 1]);
    if (!isToken(name) || impossible.has(name) || !isFieldValue(value)) return null;
    octets += name.length + value.length + fieldOctets;
    if (octets > maxOctets) return null;
    list.push(name, value);
  }
  return list;
};
