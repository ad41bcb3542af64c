import { canonicalName } from './canonical-name.js';
import { listMembers } from './field-list.js';
import type { HeaderList } from './header-list.js';

/**
 * Fields that concern one connection and are never passed on: those of RFC 9110, section 7.6.1; Proxy-Authenticate and
 * Proxy-Authorization with its kin, which speak to the nearest proxy (section 11.7); Trailer, because the framing is
 * made anew; HTTP2-Settings, which is only of use to an h2c upgrade; Expect, which the gateway answers itself.
 */
export const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Fields whose spellings with other separators are dropped: to an upstream that reads `Content_Length` as Content-Length
 * they would be a second, forged one.
 */
const unambiguous: ReadonlySet<string> = new Set(['content-length', 'x-correlation-id']);

const watchedLengths: ReadonlySet<number> = new Set([...hopByHop, ...unambiguous].map((name) => name.length));

export const isHopByHop = (lowerName: string): boolean => hopByHop.has(lowerName);

/**
 * Fields that Connection cannot nominate: they are meant for every recipient, and a client behind a proxy in front of
 * the gateway could otherwise remove what that proxy says of it.
 */
const endToEnd: ReadonlySet<string> = new Set([
  'authorization',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'forwarded',
  'host',
  'set-cookie',
  'x-correlation-id',
  'x-real-ip',
]);

const isEndToEnd = (lowerName: string): boolean => endToEnd.has(lowerName) || lowerName.startsWith('x-forwarded-');

const connectionLength = 'connection'.length;

/** What the Connection fields nominate, in lower case; null where it is nothing beyond what is dropped anyway. */
const nominatedBy = (headers: HeaderList): ReadonlySet<string> | null => {
  let nominated: Set<string> | null = null;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.length !== connectionLength || name.toLowerCase() !== 'connection') continue;
    const value = headers[index + 1] as string;
    if (value === 'keep-alive' || value === 'close') continue;
    for (const member of listMembers(value)) {
      const option = member.toLowerCase();
      if (hopByHop.has(option) || isEndToEnd(option)) continue;
      nominated ??= new Set();
      nominated.add(option);
    }
  }
  return nominated;
};

const isDropped = (lowerName: string): boolean => {
  const canonical = canonicalName(lowerName);
  return hopByHop.has(canonical) || (canonical !== lowerName && unambiguous.has(canonical));
};

const takesTrailers = (te: string): boolean =>
  te === 'trailers' || listMembers(te).some((member) => member.toLowerCase() === 'trailers');

/**
 * The fields that may be passed on, in either direction. What only a careless reader takes for a hop-by-hop field
 * (`Transfer_Encoding`) is dropped as that field is. `TE: trailers` stays (alone: codings are between neighbours).
 * The gateway sets its own Connection and Upgrade where it tunnels a WebSocket. Gives the same list back where nothing
 * had to go.
 */
export const withoutHopByHop = (headers: HeaderList): HeaderList => {
  const nominated = nominatedBy(headers);
  let kept: string[] | null = null;
  let keepsTrailers = false;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    if (nominated === null && !watchedLengths.has(name.length)) {
      kept?.push(name, value);
      continue;
    }
    const lower = name.toLowerCase();
    if (!isDropped(lower) && nominated?.has(lower) !== true) {
      kept?.push(name, value);
      continue;
    }
    kept ??= headers.slice(0, index);
    if (lower === 'te' && !keepsTrailers && takesTrailers(value)) {
      keepsTrailers = true;
      kept.push(name, 'trailers');
    }
  }
  return kept ?? headers;
};
