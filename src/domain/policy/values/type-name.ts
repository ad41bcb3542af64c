import type { Value } from './value.js';

/** The type of a value in the words of Cedar, for messages; never the value itself. */
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
  if (value.kind === 'entity') return `entity of type ${value.type}`;
  return value.kind === 'ip' ? 'ipaddr' : value.kind;
};
