import { checkedText, type ScalarFault, type ScalarKind } from '../../configuration/schema/scalar-kind.js';
import { parseIpAddress } from '../../http/ip-address.js';
import { normalisePath } from '../../http/path-normalisation.js';
import { ok } from '../../shared/result.js';

/** Why a path is none that policies ever see; null where it is one. */
export const pathFault = (path: string): ScalarFault | null => {
  const mark = path.indexOf('?');
  if (mark >= 0) {
    return { message: 'must be a path alone', suggestion: `give "${path.slice(mark + 1)}" as its query` };
  }
  const normal = normalisePath(path);
  if (!normal.ok) return { message: 'must be a path that the gateway lets pass, as in "/reports/7"' };
  if (normal.value === path) return null;
  return { message: 'must be in the form in which the gateway passes it on', suggestion: `write "${normal.value}"` };
};

/** Why a query is none; null where it is one. */
export const queryFault = (query: string): ScalarFault | null =>
  query.startsWith('?')
    ? { message: 'must be without the question mark', suggestion: `write "${query.slice(1)}"` }
    : null;

/** Why an address is none; null where it is one. */
export const addressFault = (address: string): ScalarFault | null =>
  parseIpAddress(address) === null
    ? { message: 'must be an IP address', suggestion: 'write "192.0.2.1" or "2001:db8::1"' }
    : null;

export const requestPath = checkedText('path', pathFault);
export const clientAddress = checkedText('IP address', addressFault);

/** May be empty. */
export const queryText: ScalarKind<string> = {
  ...checkedText('query', queryFault),
  read: (scalar) => (scalar.value === '' ? ok('') : checkedText('query', queryFault).read(scalar)),
};
