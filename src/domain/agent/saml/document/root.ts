import { isNamed } from '../../xml/element-access.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { StructureCheck } from './structure-check.js';

/** Messages of the protocol that could be taken for the one that is asked for. */
const messages: ReadonlySet<string> = new Set([
  'Response',
  'ArtifactResponse',
  'AuthnRequest',
  'LogoutRequest',
  'LogoutResponse',
]);

/**
 * The root is the message, or the assertion, that is asked for, and no message is within another: the original, wrapped, could otherwise be the one
 * that is signed. Those within count by their local name alone, because there are readers that look at nothing else.
 */
export const rootFault =
  (name: string, namespace: string = xmlNamespaces.samlp): StructureCheck =>
  ({ root, elements }) => {
    if (!isNamed(root, namespace, name)) return 'unexpected_root';
    return elements.some(({ element, parent }) => parent !== null && messages.has(element.name))
      ? 'unexpected_root'
      : null;
  };
