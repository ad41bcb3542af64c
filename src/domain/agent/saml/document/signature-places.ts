import { allChildElements, childElements, isNamed } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { StructureCheck } from './structure-check.js';

/** What may be signed by a signature of its own: the root, and an assertion directly in it. */
export const signableElements = (root: XmlElement): readonly XmlElement[] => [
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
 * Signatures are where they belong: directly in the root or in the assertion that is directly in it, after the issuer, one in each
 * at the most. By local name: what some reader could take for a signature counts, whatever its namespace.
 */
export const signaturePlacesFault: StructureCheck = ({ root, elements }) => {
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
