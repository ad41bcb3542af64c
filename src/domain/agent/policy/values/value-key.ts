import { entityKey } from './entity-uid.js';
import type { RecordValue, SetValue, Value, ValueKey } from './value.js';

/** Ends where its first characters say, so that no two lists of parts make the same text. */
const part = (key: ValueKey): string => {
  if (typeof key === 'string') return `s${key.length}:${key}`;
  return typeof key === 'boolean' ? (key ? 't' : 'f') : `i${key};`;
};

const setKey = (set: SetValue): string => `\0{${Array.from(set.members, part).sort().join('')}`;

const recordKey = (record: RecordValue): string => {
  let key = '\0(';
  for (const name of [...record.attributes.keys()].sort()) {
    key += part(name) + part(valueKey(record.attributes.get(name) as Value));
  }
  return key;
};

/** Shorter keys are made again as quickly as they are found. */
const shortestRemembered = 128;

/** Long keys, kept as long as their values are: a policy set may ask for that of one and the same value many times. */
const remembered = new WeakMap<SetValue | RecordValue, string>();

const keyOfMany = (value: SetValue | RecordValue): string => {
  const known = remembered.get(value);
  if (known !== undefined) return known;
  const key = value.kind === 'set' ? setKey(value) : recordKey(value);
  if (key.length >= shortestRemembered) remembered.set(value, key);
  return key;
};

/**
 * The key of a value: equal for equal values and for no others. A boolean, a long and nearly every string is its own
 * key; all other keys begin with NUL and a letter for the kind. Neither the order of a set nor of a record's
 * attributes counts.
 */
export const valueKey = (value: Value): ValueKey => {
  if (typeof value === 'string') return value.charCodeAt(0) === 0 ? `\0s${value}` : value;
  if (typeof value !== 'object') return value;
  switch (value.kind) {
    case 'entity':
      return `\0e${entityKey(value)}`;
    case 'set':
    case 'record':
      return keyOfMany(value);
    case 'decimal':
      return `\0d${value.units}`;
    case 'ip':
      return `\0i${value.version}/${value.prefixLength}/${value.address}`;
    case 'datetime':
      return `\0t${value.ms}`;
    case 'duration':
      return `\0u${value.ms}`;
  }
};
