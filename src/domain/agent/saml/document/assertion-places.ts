import { attributeOf, childElements } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import { successStatus } from '../checks/check-status.js';
import type { StructureCheck } from './structure-check.js';

/** By local name: what some reader could take for an assertion counts, whatever its namespace. */
const assertionNames: ReadonlySet<string> = new Set(['Assertion', 'EncryptedAssertion']);

const isFailure = (response: XmlElement): boolean => {
  const codes = childElements(response, xmlNamespaces.samlp, 'Status').flatMap((status) =>
    childElements(status, xmlNamespaces.samlp, 'StatusCode'),
  );
  return codes.some((code) => attributeOf(code, 'Value') !== successStatus);
};

/**
 * There is one assertion, plain or encrypted, and it stands directly in the response: none is in extensions, in a signature, in
 * advice or in another assertion. A response that has none because it says a failure is refused for that.
 */
export const assertionPlacesFault: StructureCheck = ({ root, elements }) => {
  let found = 0;
  for (const { element, parent } of elements) {
    if (!assertionNames.has(element.name)) continue;
    if (parent !== root || element.namespace !== xmlNamespaces.saml) return 'misplaced_assertion';
    found += 1;
  }
  if (found > 1) return 'several_assertions';
  if (found === 1) return null;
  return isFailure(root) ? 'failed_status' : 'no_assertion';
};

/** There is no assertion anywhere below the root. */
export const strayAssertionFault: StructureCheck = ({ elements }) =>
  elements.some(({ element, parent }) => parent !== null && assertionNames.has(element.name))
    ? 'misplaced_assertion'
    : null;
