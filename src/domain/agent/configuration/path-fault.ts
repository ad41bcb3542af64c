import { normalisePath } from '../../http/path-normalisation.js';

/**
 * What is wrong with a path of an endpoint, as the end of a sentence; null: nothing. Requests are looked at with
 * their paths in the one form that the gateway gives them: another one would match none.
 */
export const pathFault = (path: string): string | null => {
  const normal = normalisePath(path);
  if (!normal.ok || path === '*') return 'must be a path that begins with /, without a query';
  return normal.value === path ? null : `must be in its normal form: "${normal.value}"`;
};
