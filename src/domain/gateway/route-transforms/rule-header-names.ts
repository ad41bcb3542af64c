import { canonicalName } from '../../http/canonical-name.js';
import { fieldTrait, fieldTraits, isHopByHop } from '../../http/field-traits.js';
import { alwaysOwned, isOwned, ownedHeaders } from '../../http/owned-headers.js';

/** Why no header rule may name a header, and what to use instead. */
export interface RuleNameFault {
  /** The rest of a sentence that begins with the name. */
  readonly reason: string;
  readonly suggestion: string | null;
}

const identity = ownedHeaders(alwaysOwned);

const fault = (reason: string, suggestion: string | null = null): RuleNameFault => ({ reason, suggestion });

/**
 * Why no header rule may name a header, in any configuration; null: a rule may. Names compare in canonical form, because
 * an upstream may read `X_User_Id` as X-User-Id.
 */
export const ruleNameFault = (name: string): RuleNameFault | null => {
  const canonical = canonicalName(name);
  if (canonical === 'host') {
    return fault('names the server that a request is for', 'write host-header in the upstream');
  }
  if (canonical === 'content-length' || canonical === 'transfer-encoding') {
    return fault('belongs to message framing, which the gateway does itself');
  }
  if (canonical === 'x-correlation-id') return fault('is the id that the gateway gives to each request');
  if (isHopByHop(canonical)) return fault('belongs to one connection (RFC 9110, section 7.6.1)');
  if ((fieldTraits(canonical) & fieldTrait.forwarded) !== 0) {
    return fault(
      'tells upstreams who the client is, so only the gateway sets it',
      'list the proxies in front of the gateway in trusted-proxies of the listener',
    );
  }
  if (isOwned(identity, name)) {
    return fault('is an identity or certificate header, which only agents and the gateway set');
  }
  return null;
};
