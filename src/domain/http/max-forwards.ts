import { firstHeader, type HeaderList } from './header-list.js';
import { withHeader } from './with-header.js';

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
