import { isNamed } from '../../xml/element-access.js';
import { placedElements } from '../../xml/placed-elements.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { DocumentRejection } from '../document-rejection.js';
import { assertionPlacesFault, strayAssertionFault } from './assertion-places.js';
import { rootFault } from './root.js';
import { signaturePlacesFault } from './signature-places.js';
import { signatureShapesFault } from './signature-shapes.js';
import type { StructureCheck } from './structure-check.js';
import { duplicateIdFault } from './unique-ids.js';
import { versionFault } from './version.js';

/** What holds for signatures and identifiers of every message, in the order of the reasons that are most telling. */
const common: readonly StructureCheck[] = [duplicateIdFault, signaturePlacesFault, signatureShapesFault];

const responseChecks: readonly StructureCheck[] = [
  rootFault('Response'),
  versionFault,
  assertionPlacesFault,
  ...common,
];

const assertionChecks: readonly StructureCheck[] = [
  rootFault('Assertion', xmlNamespaces.saml),
  versionFault,
  strayAssertionFault,
  ...common,
];

const logoutChecks = {
  LogoutRequest: [rootFault('LogoutRequest'), versionFault, strayAssertionFault, ...common],
  LogoutResponse: [rootFault('LogoutResponse'), versionFault, strayAssertionFault, ...common],
} satisfies Record<string, readonly StructureCheck[]>;

const firstFault = (root: XmlElement, checks: readonly StructureCheck[]): DocumentRejection | null => {
  const tree = { root, elements: placedElements(root) };
  for (const check of checks) {
    const fault = check(tree);
    if (fault !== null) return fault;
  }
  return null;
};

/**
 * The reason to refuse a Response for its structure, or null: what it holds, where its assertion and its signatures stand and what they cover.
 * Whether it is signed at all is not asked. Linear in the tree.
 */
export const responseStructureFault = (root: XmlElement): DocumentRejection | null => firstFault(root, responseChecks);

/** The reason to refuse an Assertion that comes alone for its structure, or null; as `responseStructureFault`. */
export const assertionStructureFault = (root: XmlElement): DocumentRejection | null =>
  firstFault(root, assertionChecks);

/** The reason to refuse a message of the single logout profile for its structure, or null; as `responseStructureFault`. */
export const logoutStructureFault = (
  root: XmlElement,
  name: 'LogoutRequest' | 'LogoutResponse',
): DocumentRejection | null => firstFault(root, logoutChecks[name]);

/**
 * The response with what its encrypted assertion was decrypted to in that place: it is checked again as a whole, so that neither
 * identifiers nor signatures of the two can collide.
 */
export const withDecryptedAssertion = (response: XmlElement, assertion: XmlElement): XmlElement => ({
  ...response,
  children: response.children.map((child) =>
    typeof child !== 'string' && isNamed(child, xmlNamespaces.saml, 'EncryptedAssertion') ? assertion : child,
  ),
});
