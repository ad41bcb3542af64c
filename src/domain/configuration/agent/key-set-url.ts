import { parseIpAddress } from '../../http/ip-address.js';
import { isHostName, isLoopback } from '../schema/network-kinds.js';

/** What there is to say of the URL of a key set; one clause, which holds nothing of it. */
export interface KeySetUrlFault {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** The URL may hold a secret: no line of the file may be shown. */
  readonly secret: boolean;
}

const fault = (message: string, secret = false): KeySetUrlFault => ({ severity: 'error', message, secret });

const isHost = (host: string): boolean => {
  if (host.startsWith('[') && host.endsWith(']')) return parseIpAddress(host.slice(1, -1)) !== null;
  return isHostName(host) || parseIpAddress(host) !== null;
};

/** Checks where a key set is fetched from: an absolute URL (RFC 3986) of HTTPS; of HTTP with a warning, unless it stays on this machine. */
export const keySetUrlFault = (url: string): KeySetUrlFault | null => {
  const parts = /^(https?):\/\/([^/?#]*)([/?][^#]*)?(#.*)?$/i.exec(url);
  if (parts === null || !/^[\x21-\x7e]+$/.test(url)) return fault('must be a URL that begins with https://');
  const [, scheme = '', authority = '', , fragment] = parts;
  if (authority.includes('@')) return fault('must not hold a user name or a password', true);
  if (fragment !== undefined) return fault('must not hold a fragment');
  const place = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority);
  const host = place?.[1] ?? '';
  const port = place?.[2];
  if (place === null || !isHost(host) || (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))) {
    return fault('names no host');
  }
  if (scheme.toLowerCase() === 'https' || isLoopback(host.replace(/^\[|\]$/g, ''))) return null;
  const message = 'is not https: whoever is on the way can put keys of their own in the place of the others';
  return { severity: 'warning', message, secret: false };
};
