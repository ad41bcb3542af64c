import { parseAuthority } from '../../../../http/host.js';
import type { LikePattern } from '../../syntax-tree.js';

/** Whether `resource.host` can be that text: empty where a request has none. */
export const isPossibleHost = (text: string): boolean => {
  const parsed = parseAuthority(text);
  return text === '' || (parsed.ok && parsed.value.host === text);
};

/** The host in a text, as `resource.host` has it; null: there is none. */
export const nearestHost = (text: string): string | null => {
  const parsed = parseAuthority(text);
  return parsed.ok ? parsed.value.host : null;
};

/** Whether no host fits: none has capitals, slashes or a port; what ends in digits behind a colon is a port. */
export const isImpossibleHostPattern = (pattern: LikePattern): boolean => {
  const last = pattern.at(-1);
  if (typeof last === 'string' && /:[0-9]{1,5}$/.test(last)) return true;
  return pattern.some((piece) => typeof piece === 'string' && /[A-Z/?]/.test(piece));
};
