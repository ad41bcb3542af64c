import { parseIpAddress } from '../../http/ip-address.js';
import type { AdviceId } from '../advice-kinds.js';
import { isHostName, isLoopback } from './network-kinds.js';

/** A finding about a URL, as a clause of a sentence. It contains no part of the URL. */
export interface WebUrlFault {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** The URL may hold a secret, such as a query or a password: messages must not show its line. */
  readonly secret: boolean;
  /** The stable name of the warning. */
  readonly id?: AdviceId;
}

const isHost = (host: string): boolean => {
  if (host.startsWith('[') && host.endsWith(']')) return parseIpAddress(host.slice(1, -1)) !== null;
  return isHostName(host) || parseIpAddress(host) !== null;
};

/**
 * Checks an absolute https URL (RFC 3986). An http URL gets a warning with `risk`, which names the consequence, unless
 * the host is a loopback address or `risk` is null.
 */
export const webUrlFault = (url: string, risk: string | null): WebUrlFault | null => {
  const secret = /[?@]/.test(url);
  const fault = (message: string): WebUrlFault => ({ severity: 'error', message, secret });
  const parts = /^(https?):\/\/([^/?#]*)([/?][^#]*)?(#.*)?$/i.exec(url);
  if (parts === null || !/^[\x21-\x7e]+$/.test(url)) return fault('must be a URL that begins with https://');
  const [, scheme = '', authority = '', , fragment] = parts;
  if (authority.includes('@')) return fault('must not contain a user name or a password');
  if (fragment !== undefined) return fault('must not contain a fragment');
  const place = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority);
  const host = place?.[1] ?? '';
  const port = place?.[2];
  if (place === null || !isHost(host) || (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))) {
    return fault('has no valid host');
  }
  if (risk === null || scheme.toLowerCase() === 'https' || isLoopback(host.replace(/^\[|\]$/g, ''))) return null;
  return { severity: 'warning', message: `is not https: ${risk}`, secret, id: 'fetched-in-the-clear' };
};
