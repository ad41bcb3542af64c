import { entityKey } from './entity-uid.js';
import type { RecordValue, SetValue, Value, ValueKey } from './value.js';

/** Length-prefixed, so two different lists of parts never concatenate to the same text. */
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

/** Building a shorter key is as fast as a cache lookup. */
const minCachedLength = 128;

/** Caches long keys for the lifetime of their values: a policy set may need the key of one value many times. */
const keyCache = new WeakMap<SetValue | RecordValue, string>();

const keyOfCollection = (value: SetValue | RecordValue): string => {
  const cached = keyCache.get(value);
  if (cached !== undefined) return cached;
  const key = value.kind === 'set' ? setKey(value) : recordKey(value);
  if (key.length >= minCachedLength) keyCache.set(value, key);
  return key;
};

/**
 * The key of a value. Two keys are equal if and only if the values are. A boolean, a long and a string that does not
 * begin with NUL is its own key; every other key begins with NUL and a letter for the kind. The order of set elements
 * and record attributes does not matter.
 */
export const valueKey = (value: Value): ValueKey => {
  if (typeof value === 'string') return value.charCodeAt(0) === 0 ? `\0s${value}` : value;
  if (typeof value !== 'object') return value;
  switch (value.kind) {
    case 'entity':
      return `\0e${entityKey(value)}`;
    case 'set':
    case 'record':
      return keyOfCollection(value);
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
