import { sameEntity } from './entity-uid.js';
import type { ExtensionValue, RecordValue, SetValue, Value } from './value.js';

/** The sizes are equal, so checking one direction is enough. */
const equalSets = (a: SetValue, b: SetValue): boolean => {
  if (a.members.size !== b.members.size) return false;
  for (const key of a.members) if (!b.members.has(key)) return false;
  return true;
};

const equalRecords = (a: RecordValue, b: RecordValue): boolean => {
  if (a.attributes.size !== b.attributes.size) return false;
  for (const [name, value] of a.attributes) {
    const other = b.attributes.get(name);
    if (other === undefined || !equalValues(value, other)) return false;
  }
  return true;
};

const equalExtensions = (a: ExtensionValue, b: Value): boolean => {
  if (typeof b !== 'object') return false;
  switch (a.kind) {
    case 'decimal':
      return b.kind === 'decimal' && a.units === b.units;
    case 'ip':
      return b.kind === 'ip' && a.version === b.version && a.prefixLength === b.prefixLength && a.address === b.address;
    default:
      return b.kind === a.kind && a.ms === b.ms;
  }
};

/**
 * Cedar's `==`. Values of different types are unequal, never an error. Networks are equal if address (host bits
 * included) and prefix length are: 10.0.0.1/8 is not 10.0.0.2/8.
 */
export const equalValues = (a: Value, b: Value): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  switch (a.kind) {
    case 'entity':
      return b.kind === 'entity' && sameEntity(a, b);
    case 'set':
      return b.kind === 'set' && equalSets(a, b);
    case 'record':
      return b.kind === 'record' && equalRecords(a, b);
    default:
      return equalExtensions(a, b);
  }
};
