import { firstHeader, type HeaderList, withHeader } from './header-list.js';

const name = 'max-forwards';
const decimal = /^[0-9]{1,9}$/;

/**
 * Decrements Max-Forwards of an OPTIONS request (RFC 9110, section 7.6.2); null at 0, where the recipient
 * answers. Leaves other methods and invalid numbers unchanged.
 */
export const countedForwards = (method: string, headers: HeaderList): HeaderList | null => {
  if (method !== 'OPTIONS') return headers;
  const value = firstHeader(headers, name);
  if (value === undefined || !decimal.test(value)) return headers;
  const left = Number(value);
  return left === 0 ? null : withHeader(headers, 'Max-Forwards', String(left - 1));
};

/**
 * Methods that the gateway refuses. CONNECT: the gateway is not a forward proxy. TRACE (RFC 9110, section
 * 9.3.8) would return fields that only the upstream may see.
 */
export const isUnservedMethod = (method: string): boolean => method === 'CONNECT' || method === 'TRACE';

/**
 * Maximum octets of a method that no route names. The longest registered one (RFC 9110, section 16.1.1) has
 * 17.
 */
export const maxMethodLength = 32;
/** Maximum octets of a method in a route or a log entry. */
export const maxNamedMethodLength = 128;

/** Methods in routes that exceed `maxMethodLength`. */
export const longMethods = (named: readonly string[]): ReadonlySet<string> =>
  new Set(named.filter(({ length }) => length > maxMethodLength));

/**
 * Whether a method exceeds the limit (RFC 9112, section 3).
 *
 * @param served the result of `longMethods`
 */
export const isOverlongMethod = (method: string, served: ReadonlySet<string>): boolean =>
  method.length > maxMethodLength && !served.has(method);

/** A method for logs, truncated. */
export const loggedMethod = (method: string): string =>
  method.length > maxNamedMethodLength ? `${method.slice(0, maxNamedMethodLength)}...` : method;
