import type { HeaderList } from './header-list.js';

/** Names come again and again: those that came last are remembered, so many and no longer ones. */
const remembered = new Map<string, string>();
const maxRemembered = 1_024;
const maxNameLength = 64;

/** A field name in lower case. */
export const lowerName = (name: string): string => {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  if (name.length <= maxNameLength) {
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(name, lower);
  }
  return lower;
};

/** The same fields with their names in lower case. */
export const lowerNames = (headers: HeaderList): HeaderList => {
  const lower = headers.slice();
  for (let index = 0; index < lower.length; index += 2) lower[index] = lowerName(lower[index] as string);
  return lower;
};
