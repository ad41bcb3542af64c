import { compileCidrs } from '../../http/cidr-set.js';
import { isToken } from '../../http/field-syntax.js';
import { parseIpAddress } from '../../http/ip-address.js';
import { alwaysOwned, isOwned, ownedHeaders } from '../../http/owned-headers.js';
import { isUnservedMethod, maxNamedMethodLength } from '../../http/request-method.js';
import { err, ok } from '../../shared/result.js';
import type { SocketAddress } from '../network-addresses.js';
import { foreignHostPattern } from './foreign-patterns.js';
import { checkedText, type ScalarFault, type ScalarKind, text } from './scalar-kind.js';

const isLabel = (label: string): boolean => /^[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?$/.test(label);

/** Fewer than three octets of Punycode (RFC 3492) encode no valid character of a name. */
const isShortOfPunycode = (label: string): boolean => /^xn--.{0,2}$/i.test(label);

/** Resolvers and URL parsers read such names as IPv4 addresses: `127.1`, `0x7f.1`, `10.8`. */
const endsInNumber = (host: string): boolean => /(^|\.)(\d+|0x[0-9a-f]*)$/i.test(host);

/** A DNS name (RFC 1123, section 2.1), with the underscores that service discovery uses. */
export const isHostName = (host: string): boolean =>
  host.length <= 253 &&
  host.split('.').every((label) => isLabel(label) && !isShortOfPunycode(label)) &&
  !endsInNumber(host);

const isIpv4 = (host: string): boolean => !host.includes(':') && parseIpAddress(host) !== null;
const isIpv6 = (host: string): boolean => host.includes(':') && parseIpAddress(host) !== null;

/** Whether an address is a loopback address. The only name that counts is `localhost`. */
export const isLoopback = (host: string): boolean => {
  if (host.toLowerCase() === 'localhost') return true;
  const address = parseIpAddress(host);
  if (address === null) return false;
  // 127.0.0.0/8 (RFC 1122, section 3.2.1.3) and ::1 (RFC 4291, section 2.5.3).
  if (address.length === 1) return Math.floor(address[0] / 0x1000000) === 127;
  return address[0] === 0 && address[1] === 0 && address[2] === 0 && address[3] === 1;
};

/** Hides the text before an `@`, which may be a password. */
const shown = (value: string): string => value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@').slice(0, 80);

/** Removes the user from an authority, for messages and suggestions. */
const withoutUser = (authority: string): string => authority.slice(authority.lastIndexOf('@') + 1);

/** The remedy for a URL. A minimum port of 1 means an address to connect to, 0 one to listen on. */
const withoutScheme = (value: string, minimumPort: 0 | 1): string | null => {
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)([/?#].*)?$/i.exec(value);
  if (parts === null) return null;
  const scheme = (parts[1] ?? '').toLowerCase();
  const authority = withoutUser(parts[2] ?? '');
  const hasPort = /:\d{1,5}$/.test(authority);
  const address = hasPort ? authority : `${authority}:${scheme === 'http' ? 80 : 443}`;
  const path = /^[/?#]./.test(parts[3] ?? '') ? ', without the path' : '';
  if (scheme === 'http' || scheme === 'h2c') return `write "${address}"${path}`;
  if (scheme !== 'https' && scheme !== 'h2') return `write "${authority}", without "${scheme}://"`;
  if (minimumPort === 0) return `write "${address}", and protocol "https" on a listener${path}`;
  return `write "${address}", and a block tls in the upstream${path}`;
};

const addressFault = (value: string, minimumPort: 0 | 1): ScalarFault => {
  const scheme = withoutScheme(value, minimumPort);
  let suggestion = 'write "127.0.0.1:8080", "[::1]:8080" or "name.example:8080"';
  if (scheme !== null) suggestion = scheme;
  else if (value.includes('@')) suggestion = 'delete the user and the @ before the host';
  else if (/^[:*]:?\d+$/.test(value)) suggestion = `write the address: "0.0.0.0:${value.replace(/^[:*]+/, '')}"`;
  else if (isIpv6(value)) suggestion = 'write an IPv6 address in brackets, with a port: "[::1]:8080"';
  else if (isIpv4(value) || isHostName(value)) suggestion = `add a port: "${value}:8080"`;
  else if (endsInNumber(value.replace(/:\d+$/, '')))
    suggestion = 'write all four numbers of an IPv4 address; a name cannot end in a number';
  return { message: `must be host:port, not "${shown(value)}"`, suggestion };
};

const parseAddress = (value: string): SocketAddress | null => {
  const parts = /^(?:\[([0-9a-fA-F:.]{2,45})\]|([^:[\]]{1,253})):(\d{1,5})$/.exec(value);
  const port = Number(parts?.[3]);
  if (parts === null || port > 65_535) return null;
  if (parts[1] !== undefined) return isIpv6(parts[1]) ? { host: parts[1], port } : null;
  const host = parts[2] ?? '';
  return isIpv4(host) || isHostName(host) ? { host, port } : null;
};

/** A host name or address, with or without a port, as in a Host header. */
export const isAuthority = (value: string): boolean => {
  if (parseAddress(value) !== null) return true;
  const literal = /^\[(.*)\]$/.exec(value)?.[1];
  return literal === undefined ? isHostName(value) || isIpv4(value) : isIpv6(literal);
};

/** `host:port`, with an IPv6 address in brackets. */
export const socketAddressText = ({ host, port }: SocketAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/** `host:port`. Port 0, a free port, is valid only for a listening address. */
export const socketAddress = (minimumPort: 0 | 1): ScalarKind<SocketAddress> => ({
  label: 'host:port',
  fallback: { host: '', port: 0 },
  secret: false,
  read: (scalar) => {
    const read = text.read(scalar);
    if (!read.ok) return read;
    const address = parseAddress(read.value);
    if (address !== null && address.port >= minimumPort) return ok(address);
    if (scalar.hidden) return err({ message: 'must be host:port' });
    return err(address === null ? addressFault(read.value, minimumPort) : { message: 'must have a port other than 0' });
  },
});

/** A CIDR block, or one address. */
export const cidr = checkedText('CIDR block', (value) =>
  compileCidrs([value]).ok
    ? null
    : {
        message: `must be a CIDR block, not "${value.slice(0, 80)}"`,
        suggestion: 'write "10.0.0.0/8", "2001:db8::/32" or one address',
      },
);

/** What a Host header can match: a name, an address, or `*.` and a name. Read in lower case, without a final dot. */
export const hostPattern: ScalarKind<string> = {
  label: 'host name, or `*.suffix`',
  fallback: '',
  secret: false,
  read: (scalar) => {
    const read = text.read(scalar);
    if (!read.ok) return read;
    const host = read.value.toLowerCase().replace(/\.$/, '');
    const name = host.startsWith('*.') ? host.slice(2) : host;
    const literal = /^\[(.*)\]$/.exec(host)?.[1];
    if (isHostName(name) || isIpv4(host) || (literal !== undefined && isIpv6(literal))) return ok(host);
    if (scalar.hidden) return err({ message: 'must be a host name' });
    return err({
      message: `must be a host name or *.suffix, not "${read.value.slice(0, 80)}"`,
      suggestion:
        foreignHostPattern(read.value) ?? (/:\d+$/.test(host) ? 'delete the port: a host matches every port' : null),
    });
  },
};

/** A DNS name in a certificate: no address, no wildcard. */
export const serverName = checkedText('host name', (value) =>
  isHostName(value) ? null : { message: `must be a host name, not "${value.slice(0, 80)}"` },
);

export const headerName = checkedText('header name', (value) =>
  isToken(value) ? null : { message: `must be a header name, not "${value.slice(0, 80)}"` },
);

const identity = ownedHeaders(alwaysOwned);

/** A header that routes can match. */
export const matchableHeader = checkedText('header name', (value) => {
  if (!isToken(value)) {
    const name = /^([\w-]{1,64})\s*[=:]/.exec(value)?.[1];
    return name === undefined
      ? { message: `must be a header name, not "${value.slice(0, 80)}"` }
      : { message: `must be a header name alone, as in "${name}"`, suggestion: `write header "${name}" "value"` };
  }
  if (!isOwned(identity, value)) return null;
  return {
    message: `cannot match ${value.slice(0, 80)}: the gateway removes it from requests, because only agents may set it`,
  };
});

/** A case-sensitive token (RFC 9110, section 9.1) that the gateway supports as a method. */
export const methodKind = checkedText('method', (value) => {
  const several = value.split(/[\s,|]+/).filter((one) => one !== '');
  const isList = several.length > 1 && several.every(isToken);
  if (value === '*' || isList || !isToken(value)) {
    const each = several.slice(0, 10).map((one) => `"${one.toUpperCase().slice(0, 40)}"`);
    const listed = isList ? `write method ${each.join(' ')}` : null;
    return {
      message: `must be a method, not "${value.slice(0, 80)}"`,
      suggestion: value === '*' ? 'delete method to match every method' : listed,
    };
  }
  if (value.length > maxNamedMethodLength)
    return {
      message: `is too long for a method: ${value.length} characters instead of at most ${maxNamedMethodLength}`,
    };
  if (isUnservedMethod(value)) return { message: `cannot match ${value}: the gateway answers it with 501` };
  if (value === value.toUpperCase()) return null;
  return {
    message: 'must be in upper case: methods are case-sensitive',
    suggestion: `did you mean "${value.toUpperCase()}"?`,
  };
});
