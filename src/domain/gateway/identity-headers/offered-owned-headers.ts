import { canonicalName } from '../../http/canonical-name.js';
import { hopByHop, isHopByHop } from '../../http/field-traits.js';

/** What an agent may never claim: a claim has the gateway drop the header from what clients send. */
const kept: readonly string[] = ['authorization', 'content-length', 'content-type', 'cookie', 'host'];

/** A shorter prefix would take in headers that have nothing to do with each other. */
const shortestPrefix = 3;

const isAcceptable = (pattern: string): boolean => {
  if (!pattern.endsWith('*')) {
    const name = canonicalName(pattern);
    return name !== '' && !isHopByHop(name) && !kept.includes(name);
  }
  const prefix = canonicalName(pattern.slice(0, -1));
  return prefix.length >= shortestPrefix && ![...kept, ...hopByHop].some((name) => name.startsWith(prefix));
};

/** The headers that an agent says it owns, those that it cannot own apart. */
export const sortOwnedHeaders = (
  patterns: readonly string[],
): { readonly accepted: readonly string[]; readonly dropped: readonly string[] } => ({
  accepted: patterns.filter(isAcceptable),
  dropped: patterns.filter((pattern) => !isAcceptable(pattern)),
});
