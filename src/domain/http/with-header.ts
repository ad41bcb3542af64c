import type { HeaderList } from './header-list.js';

/** The list with exactly one field of this name, in the place of the first that it had, else at the end. */
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
