import { abbreviateName } from '../abbreviate-text.js';
import type { Value } from './value.js';

/** Cedar's name of the value's type, bounded in length, for messages. Never contains the value itself. */
export const typeName = (value: Value): string => {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    case 'object':
      break;
    default:
      return 'long';
  }
  if (value.kind === 'entity') return `entity of type ${abbreviateName(value.type)}`;
  return value.kind === 'ip' ? 'ipaddr' : value.kind;
};
