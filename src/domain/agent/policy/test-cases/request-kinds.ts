import { didYouMean } from '../../../configuration/schema/did-you-mean.js';
import { checkedText, type ScalarFault, type ScalarKind } from '../../../configuration/schema/scalar-kind.js';
import { parseIpAddress } from '../../../http/ip-address.js';
import { normalisePath } from '../../../http/path-normalisation.js';
import { parseAuthority } from '../../../http/request-target.js';
import { ok } from '../../../shared/result.js';
import { httpMethods } from '../gateway-model/http-methods.js';

const isMethod = (method: string): boolean => httpMethods.some((known) => known === method);

/**
 * The fault of a method that policies never see; null if it is valid. Methods are case-sensitive (RFC 9110, section
 * 9.1).
 */
export const methodFault = (method: string): ScalarFault | null => {
  if (isMethod(method)) return null;
  const upper = method.toUpperCase();
  if (isMethod(upper)) {
    return { message: 'must be in upper case: methods are case-sensitive', suggestion: `did you mean "${upper}"?` };
  }
  const message = `must be an HTTP method that the gateway accepts, not "${method.slice(0, 80)}"`;
  return { message, suggestion: didYouMean(upper, httpMethods) };
};

/** The fault of a Host header that the gateway refuses; null if it is valid. */
export const hostFault = (host: string): ScalarFault | null =>
  parseAuthority(host).ok
    ? null
    : {
        message: `must be a host that the gateway accepts, not "${host.slice(0, 80)}"`,
        suggestion: 'write "a.example" or "a.example:8080"',
      };

/** The fault of a path that policies never see; null if it is valid. */
export const testPathFault = (path: string): ScalarFault | null => {
  const mark = path.indexOf('?');
  if (mark >= 0) {
    return { message: 'must be a path without a query', suggestion: `give "${path.slice(mark + 1)}" as the query` };
  }
  // A route with `allow-encoded-slash` shows policies encoded separators, in upper case.
  const encoded = normalisePath(path, 'keep');
  if (encoded.ok && encoded.value === path) return null;
  const normal = normalisePath(path);
  if (!normal.ok) return { message: 'must be a path that the gateway accepts, as in "/reports/7"' };
  return { message: 'must be normalised', suggestion: `write "${normal.value}"` };
};

/** The fault of a query; null if it is valid. */
export const queryFault = (query: string): ScalarFault | null =>
  query.startsWith('?')
    ? { message: 'must be without the question mark', suggestion: `write "${query.slice(1)}"` }
    : null;

/** The fault of an IP address; null if it is valid. */
export const addressFault = (address: string): ScalarFault | null =>
  parseIpAddress(address) === null
    ? { message: 'must be an IP address', suggestion: 'write "192.0.2.1" or "2001:db8::1"' }
    : null;

export const requestMethod = checkedText('method', methodFault);
export const hostKind = checkedText('host, or host:port', hostFault);
export const requestPathKind = checkedText('path', testPathFault);
export const clientAddressKind = checkedText('IP address', addressFault);

/** May be empty. */
export const queryText: ScalarKind<string> = {
  ...checkedText('query', queryFault),
  read: (scalar) => (scalar.value === '' ? ok('') : checkedText('query', queryFault).read(scalar)),
};
