import { firstHeader, type HeaderList, withHeader } from './header-list.js';

const name = 'max-forwards';
const decimal = /^[0-9]{1,9}$/;

/**
 * The fields of a request as they go on where it says by how many it may be forwarded (RFC 9110, section 7.6.2), with one less;
 * null: by none, whoever has got it answers it. It says so of OPTIONS alone (TRACE is served by nobody); what is no
 * number of up to nine digits, and what any other method says, goes on as it is.
 */
export const countedForwards = (method: string, headers: HeaderList): HeaderList | null => {
  if (method !== 'OPTIONS') return headers;
  const value = firstHeader(headers, name);
  if (value === undefined || !decimal.test(value)) return headers;
  const left = Number(value);
  return left === 0 ? null : withHeader(headers, 'Max-Forwards', String(left - 1));
};

/**
 * Methods that no request is served with. CONNECT: the gateway is no forward proxy. TRACE (RFC 9110, section 9.3.8): an upstream sends
 * back the request as it got it, with all that the gateway and its agents say to it alone.
 */
export const isUnservedMethod = (method: string): boolean => method === 'CONNECT' || method === 'TRACE';

/** Octets of a method that no route names. The longest registered one (RFC 9110, section 16.1.1) has 17. */
export const maxMethodLength = 32;
/** Octets of a method that a route names, and of one in a log. */
export const maxNamedMethodLength = 128;

/** The methods that are served because a route names them, though they are longer than others may be. */
export const longMethods = (named: readonly string[]): ReadonlySet<string> =>
  new Set(named.filter(({ length }) => length > maxMethodLength));

/** Whether a method is longer than any that is served (RFC 9112, section 3). `served`: those that `longMethods` gives. */
export const isOverlongMethod = (method: string, served: ReadonlySet<string>): boolean =>
  method.length > maxMethodLength && !served.has(method);

/** A method as logs have it: its beginning, where a client sends a long one. */
export const loggedMethod = (method: string): string =>
  method.length > maxNamedMethodLength ? `${method.slice(0, maxNamedMethodLength)}...` : method;
