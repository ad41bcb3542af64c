import type { HeaderList } from './header-list.js';

/** The same fields with their names in lower case. */
export const lowerNames = (headers: HeaderList): HeaderList =>
  headers.map((part, index) => (index % 2 === 0 ? part.toLowerCase() : part));
