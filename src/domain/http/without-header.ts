import type { HeaderList } from './header-list.js';

/** The list without the fields of this name. `lowerName` must be lower case. */
export const withoutHeader = (headers: HeaderList, lowerName: string): HeaderList => {
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.toLowerCase() !== lowerName) kept.push(name, headers[index + 1] as string);
  }
  return kept;
};
