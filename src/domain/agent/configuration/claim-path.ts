import { checkedText, type ScalarFault } from '../../configuration/schema/scalar-kind.js';
import { isScope } from '../token-exchange/printable-name.js';

/** One scope (RFC 6749, section 3.3): without spaces, quotes and backslashes. */
export const scopeName = checkedText('scope', (value) => {
  if (isScope(value)) return null;
  const names = value.split(' ').filter(isScope);
  const suggestion = names.length > 1 ? `write each in quotes: ${names.map((name) => `"${name}"`).join(' ')}` : null;
  return { message: 'must be one scope, without spaces, quotes and backslashes', suggestion };
});

/** Why a text cannot lead to a claim; null if it can. */
export const claimPathFault = (path: string): ScalarFault | null =>
  path.split('.').includes('')
    ? { message: `must have a name on either side of each dot, not "${path.slice(0, 80)}"` }
    : null;

/** A claim name, or names joined with dots that lead into objects: `realm_access.roles`. */
export const claimPath = checkedText('name, or names joined with dots', claimPathFault);
