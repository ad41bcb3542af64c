import { parseIpAddress } from '../../http/ip-address.js';
import { decodeUtf8 } from '../../shared/utf8.js';
import { isLoopback } from './network-kinds.js';

/**
 * Findings about a Redis URL, as clauses of a sentence. They contain no part of the URL, because it may hold a
 * password.
 */
export interface RedisUrlFinding {
  /** Null: the URL is valid. */
  readonly fault: string | null;
  /** Null: no risk. */
  readonly risk: string | null;
}

const refused = (fault: string): RedisUrlFinding => ({ fault, risk: null });

/** Whether all percent escapes (RFC 3986, section 2.1) are complete and decode to UTF-8. The text is ASCII. */
const isEncoded = (part: string): boolean => {
  const octets: number[] = [];
  for (let index = 0; index < part.length; index += 1) {
    if (part[index] !== '%') {
      octets.push(part.charCodeAt(index));
      continue;
    }
    const digits = part.slice(index + 1, index + 3);
    if (!/^[0-9a-f]{2}$/i.test(digits)) return false;
    octets.push(Number.parseInt(digits, 16));
    index += 2;
  }
  return decodeUtf8(Uint8Array.from(octets)) !== null;
};

const hostOf = (text: string): string | null => {
  if (!text.startsWith('[')) return /^[A-Za-z0-9._-]{1,253}$/.test(text) ? text : null;
  const address = text.endsWith(']') ? text.slice(1, -1) : '';
  return address.includes(':') && parseIpAddress(address) !== null ? address : null;
};

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;

const credentialsFault = (credentials: string | null): string | null => {
  if (credentials === null) return null;
  const colon = credentials.indexOf(':');
  if (credentials !== '' && (colon < 0 || colon === credentials.length - 1) && credentials !== ':') {
    return 'has a user but no password: write redis://USER:PASSWORD@HOST';
  }
  if (!isEncoded(credentials)) return 'must have a user and a password in percent-encoded UTF-8';
  return null;
};

/** Checks redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS. */
export const redisUrlFinding = (url: string): RedisUrlFinding => {
  const start = /^redis(s?):\/\//i.exec(url);
  if (start === null || !/^[\x21-\x7e]+$/.test(url))
    return refused('must be a URL that begins with redis:// or rediss://');
  const rest = url.slice(start[0].length);
  if (/[?#]/.test(rest))
    return refused('must not have a query or a fragment; in a password, write ? as %3F and # as %23');
  const slash = rest.indexOf('/');
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const at = authority.lastIndexOf('@');
  const credentials = at < 0 ? null : authority.slice(0, at);
  const address = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority.slice(at + 1));
  const host = hostOf(address?.[1] ?? '');
  if (host === null) return refused('has no valid host');
  const port = address?.[2];
  if (port !== undefined && !isPort(port)) return refused('must have a port from 1 to 65535, or none');
  if (slash >= 0 && !/^\/\d{0,5}$/.test(rest.slice(slash))) {
    return refused('must end with a database number such as /0, or without one; in a password, write / as %2F');
  }
  const fault = credentialsFault(credentials);
  if (fault !== null) return refused(fault);
  const isOpen = (credentials ?? '').length > 1 && start[1] === '' && !isLoopback(host);
  return { fault: null, risk: isOpen ? 'sends its password unencrypted' : null };
};
