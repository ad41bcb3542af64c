import type { ModelType } from '../model-types.js';
import { kindName } from '../type-words.js';

export const roleHint = 'ask for a role with principal.roles.contains("admin") or principal in Role::"admin"';
export const addressHint = 'ask for addresses with context.client_ip.isInRange(ip("10.0.0.0/8"))';
const textHint = 'texts have no order and are not added: ask with ==, like or startsWith';
const decimalHint = 'decimals are compared with lessThan, lessThanOrEqual, greaterThan and greaterThanOrEqual';

/** How to ask something of a value of that type, where a bool is wanted. */
export const questionHint = (type: ModelType): string => {
  switch (kindName(type)) {
    case 'string':
      return 'compare it with a text, as with == "..." or like "..."';
    case 'long':
      return 'compare it with a number, as with == or <';
    case 'set':
      return 'ask it with contains or isEmpty';
    case 'ipaddr':
      return addressHint;
    case 'entity':
      return 'compare it, as with ==, in or is';
    case 'record':
      return 'name one of its attributes';
    case 'decimal':
      return decimalHint;
    default:
      return 'compare it with another one';
  }
};

/** What is done instead of arithmetic, and of `<`, on a value of that type. */
export const numberHint = (type: ModelType): string => {
  switch (kindName(type)) {
    case 'string':
      return textHint;
    case 'decimal':
      return decimalHint;
    case 'datetime':
      return 'a later time is made with offset(duration("1h"))';
    case 'ipaddr':
      return addressHint;
    default:
      return 'ask with == or !=';
  }
};

/** What to write where a value of that type is in the way of a method or of `like`, `in` and `is`. */
export const objectHint = (operation: string, type: ModelType, wanted: string): string => {
  const kind = kindName(type);
  if (kind === 'ipaddr') return addressHint;
  if (kind === 'set') return roleHint;
  if (kind === 'record') return 'name one of its attributes';
  if (kind === 'string' && operation === 'in') {
    return 'ask a set with contains, as in principal.roles.contains("admin") or ["GET", "HEAD"].contains(context.method)';
  }
  return `only a value of type ${wanted} can be before it`;
};
