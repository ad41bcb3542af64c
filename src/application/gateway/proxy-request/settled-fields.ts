import { canonicalName } from '../../../domain/http/canonical-name.js';
import { alwaysOwned, isOwned, ownedHeaders } from '../../../domain/http/owned-headers.js';
import type { Exchange } from './exchange.js';

const identity = ownedHeaders(alwaysOwned);

/**
 * Tells of canonical names that the upstream has no say in beside the head of its response: agents have set or removed them
 * there, or they are the gateway's.
 */
export const settledFields = ({ responseOperations }: Exchange): ((canonical: string) => boolean) => {
  const operated = new Set(responseOperations.map(({ name }) => canonicalName(name)));
  return (canonical) => operated.has(canonical) || isOwned(identity, canonical);
};
