import { checkedText } from '../../configuration/schema/scalar-kind.js';
import { isScope } from '../token-exchange/scope-list.js';

/** One scope (RFC 6749, section 3.3): neither spaces nor quotes nor backslashes. */
export const scopeName = checkedText('scope', (value) => {
  if (isScope(value)) return null;
  const names = value.split(' ').filter(isScope);
  const suggestion = names.length > 1 ? `write each in quotes: ${names.map((name) => `"${name}"`).join(' ')}` : null;
  return { message: 'must be one scope, without spaces, quotes and backslashes', suggestion };
});
