import type { ModelType } from '../model-types.js';
import { kindName } from '../type-words.js';

export const roleHint = 'test for a role with principal.roles.contains("admin") or principal in Role::"admin"';
export const addressHint = 'test for addresses with context.client_ip.isInRange(ip("10.0.0.0/8"))';
const textHint = 'strings cannot be ordered or added: use ==, like or startsWith';
const decimalHint = 'compare decimals with lessThan, lessThanOrEqual, greaterThan and greaterThanOrEqual';

/** A suggestion for a value of this type where a bool is required. */
export const boolHint = (type: ModelType): string => {
  switch (kindName(type)) {
    case 'string':
      return 'compare it with a string, as in == "..." or like "..."';
    case 'long':
      return 'compare it with a number, as in == or <';
    case 'set':
      return 'use contains or isEmpty';
    case 'ipaddr':
      return addressHint;
    case 'entity':
      return 'compare it with ==, in or is';
    case 'record':
      return 'name one of its attributes';
    case 'decimal':
      return decimalHint;
    default:
      return 'compare it with another value';
  }
};

/** A suggestion for a value of this type in arithmetic or in an ordering such as `<`. */
export const numberHint = (type: ModelType): string => {
  switch (kindName(type)) {
    case 'string':
      return textHint;
    case 'decimal':
      return decimalHint;
    case 'datetime':
      return 'add a duration with offset(duration("1h"))';
    case 'ipaddr':
      return addressHint;
    default:
      return 'use == or !=';
  }
};

/** A suggestion for a value of this type before a method, `like`, `in` or `is`. */
export const objectHint = (operation: string, type: ModelType, wanted: string): string => {
  const kind = kindName(type);
  if (kind === 'ipaddr') return addressHint;
  if (kind === 'set') return roleHint;
  if (kind === 'record') return 'name one of its attributes';
  if (kind === 'string' && operation === 'in') {
    return 'test a set with contains, as in principal.roles.contains("admin") or ["GET", "HEAD"].contains(context.method)';
  }
  return `put a value of type ${wanted} before it`;
};
