import { anySubdomainPrefix, maxOriginLength } from '../../http/allowed-origins.js';
import { formatIpAddress, parseIpAddress } from '../../http/ip-address.js';
import { isHostName } from './network-kinds.js';
import { checkedText, type ScalarFault, type ScalarKind } from './scalar-kind.js';

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443 };

/** Browsers send the origin `null` for pages of these schemes. */
const opaqueSchemes: ReadonlySet<string> = new Set(['about', 'blob', 'data', 'file', 'javascript']);
/** The scheme of the page that opens a connection of this scheme. */
const pageSchemes: Readonly<Record<string, string>> = { ws: 'http', wss: 'https' };

const exampleOrigins = 'write "https://app.example.com", or "https://*.example.com" for all names below it';

interface OriginParts {
  readonly scheme: string;
  /** In lower case, with the brackets of an IPv6 address. */
  readonly host: string;
  /** As written; null: none. */
  readonly port: string | null;
  readonly isWild: boolean;
}

const parse = (value: string): OriginParts | null => {
  const parts =
    /^([a-z][a-z0-9+.-]*):\/\/(?:[^/?#]*@)?(\*\.)?(\[[^\]/?#]*\]|[^:/?#[\]@]+)(?::(\d*))?(?:[/?#].*)?$/i.exec(value);
  if (parts === null) return null;
  const [, scheme = '', wild, host = '', port = null] = parts;
  return { scheme: scheme.toLowerCase(), host: host.toLowerCase(), port, isWild: wild !== undefined };
};

/** The host as browsers write it; null: it is none. */
const serializedHost = ({ host, isWild }: OriginParts): string | null => {
  const literal = /^\[(.*)\]$/.exec(host)?.[1];
  if (literal !== undefined) {
    const address = literal.includes(':') ? parseIpAddress(literal) : null;
    return address?.length === 4 && !isWild ? `[${formatIpAddress(address)}]` : null;
  }
  const name = host.replace(/\.$/, '');
  if (isHostName(name)) return name;
  return !isWild && parseIpAddress(name)?.length === 1 ? name : null;
};

/** The port as browsers write it, with its colon; null: it is none. Default ports are left out. */
const serializedPort = ({ scheme, port }: OriginParts): string | null => {
  if (port === null || port === '') return '';
  const number = Number(port);
  if (number < 1 || number > 65_535) return null;
  return number === defaultPorts[scheme] ? '' : `:${number}`;
};

const shown = (value: string): string => value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@').slice(0, 80);

const refused = (message: string, suggestion: string = exampleOrigins): ScalarFault => ({ message, suggestion });

const originExpected = (value: string): string => `must be an origin, not "${shown(value)}"`;

/** The remedy for a text that is no URL. */
const withScheme = (value: string): string => {
  const bare = value.includes('://') ? null : parse(`https://${value}`);
  return bare === null || serializedHost(bare) === null ? exampleOrigins : `add the scheme: "https://${value}"`;
};

const textFault = (value: string): ScalarFault | null => {
  if (value === 'null') {
    const suggestion = 'list the origins of your pages';
    return refused('cannot be "null": sandboxed pages of every author have this origin', suggestion);
  }
  if (value.length > maxOriginLength) return refused(`must be an origin of at most ${maxOriginLength} characters`);
  if (/[\s,]/.test(value)) {
    return refused(originExpected(value), 'write each origin in quotes: "https://a.example" "https://b.example"');
  }
  if (/[^\u0000-\u007f]/.test(value)) {
    const suggestion = 'write the origin as location.origin shows it: "https://xn--..."';
    return refused(`${originExpected(value)}: browsers write names in Punycode`, suggestion);
  }
  return null;
};

/** The error in an origin; null: it is written as browsers write it. */
const originFault = (value: string): ScalarFault | null => {
  const fault = textFault(value);
  if (fault !== null) return fault;
  const wanted = originExpected(value);
  const parts = parse(value);
  if (parts === null) return refused(wanted, withScheme(value));
  const { scheme, isWild } = parts;
  if (opaqueSchemes.has(scheme)) return refused(`${wanted}: pages of ${scheme}: have no origin`);
  const page = pageSchemes[scheme];
  if (page !== undefined) return refused(wanted, `write the origin of the page: "${page}://..."`);
  const [host, port] = [serializedHost(parts), serializedPort(parts)];
  if (host === null) return refused(wanted);
  if (port === null) return refused(`${wanted}: a port is a number from 1 to 65535`);
  const serialized = `${scheme}://${isWild ? anySubdomainPrefix : ''}${host}${port}`;
  return value === serialized ? null : refused(`${wanted}: browsers write it differently`, `write "${serialized}"`);
};

/** An origin as browsers send it, with `*.` in place of one or more labels of the name. */
export const webOrigin: ScalarKind<string> = checkedText('origin', originFault);

/** `*`, or a `webOrigin`. */
export const webOriginOrAny: ScalarKind<string> = checkedText('origin, or `*`', (value) =>
  value === '*' ? null : originFault(value),
);
