import { normalisePath } from '../../http/path-normalisation.js';

/**
 * What is wrong with the path of an endpoint, as the end of a sentence; null if nothing. The gateway normalises request
 * paths, so another form would never match.
 */
export const pathFault = (path: string): string | null => {
  const normal = normalisePath(path);
  if (!normal.ok || path === '*') return 'must be a path that begins with /, without a query';
  return normal.value === path ? null : `must be in its normal form: "${normal.value}"`;
};
