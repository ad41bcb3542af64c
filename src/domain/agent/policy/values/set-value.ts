import type { SetValue, Value, ValueKey } from './value.js';
import { valueKey } from './value-key.js';

/** A set of these values. Keeps the first of several equal values. */
export const setOf = (values: Iterable<Value>): SetValue => {
  const elements: Value[] = [];
  const members = new Set<ValueKey>();
  for (const value of values) {
    const key = valueKey(value);
    if (members.has(key)) continue;
    members.add(key);
    elements.push(value);
  }
  return { kind: 'set', elements, members };
};

export const emptySet: SetValue = setOf([]);

export const setHas = (set: SetValue, value: Value): boolean => set.members.has(valueKey(value));
