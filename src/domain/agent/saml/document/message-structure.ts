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

/** A document whose structure is looked at, before anything in it is believed. */
interface DocumentTree {
  readonly root: XmlElement;
  /** The root and every element below it. */
  readonly elements: readonly PlacedElement[];
}

/**
 * One thing that the structure of a document has to keep; the reason to refuse it where it does not, or null. Linear
 * in the elements.
 */
type StructureCheck = (tree: DocumentTree) => DocumentRejection | null;

/** What may be signed by a signature of its own: the root, and an assertion directly in it. */
const signableElements = (root: XmlElement): readonly XmlElement[] => [
  root,
  ...childElements(root, xmlNamespaces.saml, 'Assertion'),
];

/** The one place that the schema has for it: after the issuer, before everything else. */
const isInPlace = (signable: XmlElement): boolean => {
  const elements = allChildElements(signable);
  const issuer = elements.findIndex((element) => isNamed(element, xmlNamespaces.saml, 'Issuer'));
  const signature = elements.findIndex((element) => isNamed(element, xmlNamespaces.ds, 'Signature'));
  // An issuer comes first; without one the signature does.
  return issuer < 0 ? signature === 0 : issuer === 0 && signature === 1;
};

/**
 * Signatures are where they belong: directly in the root or in the assertion that is directly in it, after the
 * issuer, one in each at most. By local name: what some reader could take for a signature counts, whatever its
 * namespace.
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

/** By local name: what some reader could take for an assertion counts, whatever its namespace. */
const assertionNames: ReadonlySet<string> = new Set(['Assertion', 'EncryptedAssertion']);

const isFailure = (response: XmlElement): boolean => {
  const codes = childElements(response, xmlNamespaces.samlp, 'Status').flatMap((status) =>
    childElements(status, xmlNamespaces.samlp, 'StatusCode'),
  );
  return codes.some((code) => attributeOf(code, 'Value') !== successStatus);
};

/**
 * There is one assertion, plain or encrypted, and it stands directly in the response: none is in extensions, in a
 * signature, in advice or in another assertion. A response that has none because it says a failure is refused for
 * that.
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

/** There is no assertion anywhere below the root. */
const strayAssertionFault: StructureCheck = ({ elements }) =>
  elements.some(({ element, parent }) => parent !== null && assertionNames.has(element.name))
    ? 'misplaced_assertion'
    : null;

/** Messages of the protocol that could be taken for the one that is asked for. */
const messages: ReadonlySet<string> = new Set([
  'Response',
  'ArtifactResponse',
  'AuthnRequest',
  'LogoutRequest',
  'LogoutResponse',
]);

/**
 * The root is the message, or the assertion, that is asked for, and no message is within another: the original,
 * wrapped, could otherwise be the one that is signed. Those within count by their local name alone, because there are
 * readers that look at nothing else.
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
 * No identifier is there twice, on whatever elements and however the attribute is spelled (`ID`, `Id`, `id`, `xml:id`,
 * `wsu:Id`): a reference to it means one element, to every reader.
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

/** Every signature covers the element that it stands in, by algorithms that are believed. */
const signatureShapesFault: StructureCheck = ({ root }) => {
  for (const signed of signableElements(root)) {
    for (const signature of childElements(signed, xmlNamespaces.ds, 'Signature')) {
      const fault = signatureFault(signature, attributeOf(signed, 'ID') ?? '');
      if (fault !== null) return fault;
    }
  }
  return null;
};

/** The message and the assertion in it are of version 2.0 (SAML core, section 4.1). */
const versionFault: StructureCheck = ({ root }) => {
  const versioned = [root, ...childElements(root, xmlNamespaces.saml, 'Assertion')];
  return versioned.every((element) => attributeOf(element, 'Version') === '2.0') ? null : 'unsupported_version';
};

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
 * The reason to refuse a Response for its structure, or null: what it holds, where its assertion and its signatures
 * stand and what they cover. Whether it is signed at all is not asked. Linear in the tree.
 */
export const responseStructureFault = (root: XmlElement): DocumentRejection | null => firstFault(root, responseChecks);

/** The reason to refuse an Assertion that comes alone for its structure, or null; as `responseStructureFault`. */
export const assertionStructureFault = (root: XmlElement): DocumentRejection | null =>
  firstFault(root, assertionChecks);

/**
 * The reason to refuse a message of the single logout profile for its structure, or null; as
 * `responseStructureFault`.
 */
export const logoutStructureFault = (
  root: XmlElement,
  name: 'LogoutRequest' | 'LogoutResponse',
): DocumentRejection | null => firstFault(root, logoutChecks[name]);

/**
 * The response with what its encrypted assertion was decrypted to in that place: it is checked again as a whole, so
 * that neither identifiers nor signatures of the two can collide.
 */
export const withDecryptedAssertion = (response: XmlElement, assertion: XmlElement): XmlElement => ({
  ...response,
  children: response.children.map((child) =>
    typeof child !== 'string' && isNamed(child, xmlNamespaces.saml, 'EncryptedAssertion') ? assertion : child,
  ),
});
