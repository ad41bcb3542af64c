import { canonicalName } from '../../http/canonical-name.js';
import { hopByHop, isHopByHop } from '../../http/field-traits.js';

/** Headers that no agent may own, because the gateway removes owned headers from requests of clients. */
const kept: readonly string[] = ['authorization', 'content-length', 'content-type', 'cookie', 'host'];

/** A shorter prefix would cover unrelated headers. */
const shortestPrefix = 3;

const isAcceptable = (pattern: string): boolean => {
  if (!pattern.endsWith('*')) {
    const name = canonicalName(pattern);
    return name !== '' && !isHopByHop(name) && !kept.includes(name);
  }
  const prefix = canonicalName(pattern.slice(0, -1));
  return prefix.length >= shortestPrefix && ![...kept, ...hopByHop].some((name) => name.startsWith(prefix));
};

/** Separates the headers that an agent may own from those that it may not. */
export const sortOwnedHeaders = (
  patterns: readonly string[],
): { readonly accepted: readonly string[]; readonly dropped: readonly string[] } => ({
  accepted: patterns.filter(isAcceptable),
  dropped: patterns.filter((pattern) => !isAcceptable(pattern)),
});
