import { allChildElements, elementText, isNamed } from '../../xml/element-access.js';
import { exactChildren } from '../../xml/exact-children.js';
import { placedElements } from '../../xml/placed-elements.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { isNameWithoutColon } from '../../xml/xml-name.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { DocumentRejection } from '../document-rejection.js';
import { signedInfoFault } from './signed-info-shape.js';

/** Elements that decide what a signature covers: libraries look for them anywhere within it, by their local names. */
const decisive: ReadonlySet<string> = new Set([
  'CanonicalizationMethod',
  'DigestMethod',
  'DigestValue',
  'Manifest',
  'Object',
  'Reference',
  'Signature',
  'SignatureMethod',
  'SignatureValue',
  'SignedInfo',
  'Transform',
  'Transforms',
]);

const keyInfoFault = (keyInfo: XmlElement): DocumentRejection | null =>
  placedElements(keyInfo).some(({ element }) => decisive.has(element.name)) ? 'malformed_element' : null;

/**
 * The reason to refuse a signature before it is verified, or null: it has one SignedInfo, one SignatureValue and at most one
 * KeyInfo (whose keys nobody reads) and nothing else, and it covers the element that it stands in, whose ID is given, as a
 * whole (XML Signature, section 4; SAML core, section 5.4).
 */
export const signatureFault = (signature: XmlElement, parentId: string): DocumentRejection | null => {
  const names = ['SignedInfo', 'SignatureValue'];
  if (allChildElements(signature).length > names.length) names.push('KeyInfo');
  const parts = exactChildren(signature, xmlNamespaces.ds, names);
  const [signedInfo, value, keyInfo] = parts ?? [];
  if (!isNamed(signature, xmlNamespaces.ds, 'Signature') || signedInfo === undefined || value === undefined) {
    return 'malformed_element';
  }
  if ((elementText(value) ?? '') === '') return 'malformed_element';
  // An ID that is no name could make the reference mean something else, such as an XPointer.
  if (!isNameWithoutColon(parentId)) return 'signature_reference';
  return (keyInfo === undefined ? null : keyInfoFault(keyInfo)) ?? signedInfoFault(signedInfo, parentId);
};
