import { trimSpace } from '../../http/field-syntax.js';
import { parseAuthority } from '../../http/request-target.js';
import type { TurnBackRules, TurnedBackRequest } from './turned-back-reference.js';

/** Browsers accept such a cookie only with `Path=/` and without Domain (RFC 6265bis, section 4.1.3.2). */
const hostPrefix = '__host-';

const withoutDot = (domain: string): string => (domain.startsWith('.') ? domain.slice(1) : domain);

/** The client's host without port; null: unknown. */
const clientHost = ({ authority }: TurnedBackRequest): string | null => {
  const parsed = authority === null ? null : parseAuthority(authority);
  return parsed?.ok === true ? parsed.value.host : null;
};

const turnedAttribute = (attribute: string, rules: TurnBackRules, request: TurnedBackRequest): string => {
  const equals = attribute.indexOf('=');
  if (equals < 0) return attribute;
  const name = trimSpace(attribute.slice(0, equals)).toLowerCase();
  const value = trimSpace(attribute.slice(equals + 1));
  const before = attribute.slice(0, equals + 1);
  if (name === 'path' && value.startsWith('/') && rules.path !== null) {
    return before + rules.path.cookiePath(value, request.path);
  }
  if (name !== 'domain' || !rules.names.hosts.has(withoutDot(value.toLowerCase()))) return attribute;
  const host = clientHost(request);
  return host === null ? attribute : before + host;
};

/**
 * The Set-Cookie value for the client: Path turned back, and the client's host in place of a Domain that names the
 * upstream. A `__Host-` cookie and every other attribute stay.
 */
export const turnedBackCookie = (cookie: string, rules: TurnBackRules, request: TurnedBackRequest): string => {
  const [pair = '', ...attributes] = cookie.split(';');
  if (attributes.length === 0 || trimSpace(pair).toLowerCase().startsWith(hostPrefix)) return cookie;
  return [pair, ...attributes.map((attribute) => turnedAttribute(attribute, rules, request))].join(';');
};
