/** The list without the fields of this name. `lowerName` must be lower case. */
export const withoutHeader = (headers: HeaderList, lowerName: string): HeaderList => {
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.toLowerCase() !== lowerName) kept.push(name, headers[index + 1] as string);
  }
  return kept;
};

/** The list with exactly one field of this name. It replaces the first such field, or is appended. */
export const withHeader = (headers: HeaderList, name: string, value: string): HeaderList => {
  const lower = name.toLowerCase();
  const fields: string[] = [];
  let placed = false;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const each = headers[index] as string;
    if (each.length !== lower.length || each.toLowerCase() !== lower) {
      fields.push(each, headers[index + 1] as string);
    } else if (!placed) {
      placed = true;
      fields.push(name, value);
    }
  }
  if (!placed) fields.push(name, value);
  return fields;
};

/** Caches recent names, bounded in number and length. */
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

/**
 * Header fields as a flat array, `[name, value, name, value, ...]`, in received order and spelling. Values
 * are byte strings: one character per octet (RFC 9110, section 5.5).
 */
export type HeaderList = readonly string[];

export const noHeaders: HeaderList = [];

/** The first value of a field, or undefined. `lowerName` must be lower case. */
export const firstHeader = (headers: HeaderList, lowerName: string): string | undefined => {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) return headers[index + 1];
  }
  return undefined;
};

/** Every value of a field, in order. `lowerName` must be lower case. */
export const allHeaders = (headers: HeaderList, lowerName: string): string[] => {
  const values: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) values.push(headers[index + 1] as string);
  }
  return values;
};
