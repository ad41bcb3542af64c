import { normalisePath } from './path-normalisation.js';

/** The path of a request in its normal form, without the query that its URI may have; null where it has none. */
export const requestPath = (uri: string): string | null => {
  const mark = uri.indexOf('?');
  const path = normalisePath(mark < 0 ? uri : uri.slice(0, mark));
  return path.ok ? path.value : null;
};
