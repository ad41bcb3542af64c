import {
  allChildElements,
  attributeOf,
  childElements,
  isNamed,
  type PlacedElement,
  placedElements,
  type XmlElement,
} from '../../xml/element-access.js';
import { xmlNamespaces } from '../../xml/xml-name.js';
import { successStatus } from '../checks/check-status.js';
import type { DocumentRejection } from '../document-rejection.js';
import { signatureFault } from './signed-info-shape.js';

/** A document to check structurally, before its content is trusted. */
interface DocumentTree {
  readonly root: XmlElement;
  /** The root and all its descendants. */
  readonly elements: readonly PlacedElement[];
}

/** A structural requirement; the reason to refuse a document that violates it, or null. Linear in the elements. */
type StructureCheck = (tree: DocumentTree) => DocumentRejection | null;

/** The elements that may have their own signature: the root, and an assertion directly in it. */
const signableElements = (root: XmlElement): readonly XmlElement[] => [
  root,
  ...childElements(root, xmlNamespaces.saml, 'Assertion'),
];

/** The only position that the schema allows: after the issuer, before everything else. */
const isInPlace = (signable: XmlElement): boolean => {
  const elements = allChildElements(signable);
  const issuer = elements.findIndex((element) => isNamed(element, xmlNamespaces.saml, 'Issuer'));
  const signature = elements.findIndex((element) => isNamed(element, xmlNamespaces.ds, 'Signature'));
  // The issuer comes first; without one the signature does.
  return issuer < 0 ? signature === 0 : issuer === 0 && signature === 1;
};

/**
 * Signatures are only directly in the root or in an assertion directly in it, after the issuer, at most one each.
 * Compares local names: an element that a reader could take for a signature counts in any namespace.
 */
const signaturePlacesFault: StructureCheck = ({ root, elements }) => {
  const signable = new Set(signableElements(root));
  const signed = new Set<XmlElement>();
  let isRepeated = false;
  for (const { element, parent } of elements) {
    if (element.name !== 'Signature') continue;
    if (parent === null || !signable.has(parent) || element.namespace !== xmlNamespaces.ds)
      return 'misplaced_signature';
    isRepeated ||= signed.has(parent);
    signed.add(parent);
  }
  if (isRepeated) return 'several_signatures';
  return [...signed].every(isInPlace) ? null : 'misplaced_signature';
};

/** Compares local names: an element that a reader could take for an assertion counts in any namespace. */
const assertionNames: ReadonlySet<string> = new Set(['Assertion', 'EncryptedAssertion']);

const isFailure = (response: XmlElement): boolean => {
  const codes = childElements(response, xmlNamespaces.samlp, 'Status').flatMap((status) =>
    childElements(status, xmlNamespaces.samlp, 'StatusCode'),
  );
  return codes.some((code) => attributeOf(code, 'Value') !== successStatus);
};

/**
 * There is exactly one assertion, plain or encrypted, directly in the response: none in extensions, signatures, advice
 * or other assertions. A failure response without an assertion is refused with its failure.
 */
const assertionPlacesFault: StructureCheck = ({ root, elements }) => {
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

/** There is no assertion below the root. */
const strayAssertionFault: StructureCheck = ({ elements }) =>
  elements.some(({ element, parent }) => parent !== null && assertionNames.has(element.name))
    ? 'misplaced_assertion'
    : null;

/** Protocol messages that could be taken for the expected one. */
const messages: ReadonlySet<string> = new Set([
  'Response',
  'ArtifactResponse',
  'AuthnRequest',
  'LogoutRequest',
  'LogoutResponse',
]);

/**
 * The root is the expected message or assertion, and contains no other message. Otherwise a wrapped original could be
 * the signed one. Nested messages are found by local name, because some readers look at nothing else.
 */
const rootFault =
  (name: string, namespace: string = xmlNamespaces.samlp): StructureCheck =>
  ({ root, elements }) => {
    if (!isNamed(root, namespace, name)) return 'unexpected_root';
    return elements.some(({ element, parent }) => parent !== null && messages.has(element.name))
      ? 'unexpected_root'
      : null;
  };

/**
 * No identifier occurs twice, on any element and in any spelling of the attribute (`ID`, `Id`, `id`, `xml:id`,
 * `wsu:Id`): a reference then means the same element for every reader.
 */
const duplicateIdFault: StructureCheck = ({ elements }) => {
  const seen = new Set<string>();
  for (const { element } of elements) {
    for (const { name, value } of element.attributes) {
      if (name.toLowerCase() !== 'id') continue;
      if (seen.has(value)) return 'duplicate_id';
      seen.add(value);
    }
  }
  return null;
};

/** Every signature covers its parent element, with accepted algorithms. */
const signatureShapesFault: StructureCheck = ({ root }) => {
  for (const signed of signableElements(root)) {
    for (const signature of childElements(signed, xmlNamespaces.ds, 'Signature')) {
      const fault = signatureFault(signature, attributeOf(signed, 'ID') ?? '');
      if (fault !== null) return fault;
    }
  }
  return null;
};

/** The message and its assertion have version 2.0 (SAML core, section 4.1). */
const versionFault: StructureCheck = ({ root }) => {
  const versioned = [root, ...childElements(root, xmlNamespaces.saml, 'Assertion')];
  return versioned.every((element) => attributeOf(element, 'Version') === '2.0') ? null : 'unsupported_version';
};

/** The requirements for signatures and identifiers of every message, the most specific reasons first. */
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
 * The reason to refuse a Response for its structure, or null: its content, and the position and coverage of assertion
 * and signatures. Does not require a signature. Linear in the tree.
 */
export const responseStructureFault = (root: XmlElement): DocumentRejection | null => firstFault(root, responseChecks);

/** The reason to refuse a standalone Assertion for its structure, or null; like `responseStructureFault`. */
export const assertionStructureFault = (root: XmlElement): DocumentRejection | null =>
  firstFault(root, assertionChecks);

/** The reason to refuse a logout message for its structure, or null; like `responseStructureFault`. */
export const logoutStructureFault = (
  root: XmlElement,
  name: 'LogoutRequest' | 'LogoutResponse',
): DocumentRejection | null => firstFault(root, logoutChecks[name]);

/**
 * The response with the decrypted assertion in place of the encrypted one. The whole is checked again, so that
 * identifiers and signatures cannot collide.
 */
export const withDecryptedAssertion = (response: XmlElement, assertion: XmlElement): XmlElement => ({
  ...response,
  children: response.children.map((child) =>
    typeof child !== 'string' && isNamed(child, xmlNamespaces.saml, 'EncryptedAssertion') ? assertion : child,
  ),
});
