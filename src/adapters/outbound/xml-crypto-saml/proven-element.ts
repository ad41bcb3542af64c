import type { KeyObject } from 'node:crypto';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import { attributeOf, isNamed } from '../../../domain/agent/xml/element-access.js';
import type { XmlElement } from '../../../domain/agent/xml/xml-element.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { readProven } from './proven-document.js';
import { signedOctets } from './signed-octets.js';

/**
 * The element as its own signature covers it, read afresh from the signed octets and without the signature. Fails with `unsigned` where it
 * has none. What was signed has to be that element: of the same name, with the same ID.
 */
export const provenElement = (
  text: string,
  element: Element,
  keys: readonly KeyObject[],
): Result<XmlElement, DocumentRejection> => {
  const octets = signedOctets(text, element, keys);
  if (!octets.ok) return octets;
  const proven = readProven(octets.value);
  if (!proven.ok) return proven;
  const isIt =
    isNamed(proven.value, element.namespaceURI, element.localName) &&
    attributeOf(proven.value, 'ID') === element.getAttribute('ID');
  return isIt ? proven : err('signature_reference');
};
