import type { KeyObject } from 'node:crypto';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import { attributeOf, isNamed } from '../../../domain/agent/xml/element-access.js';
import type { XmlElement } from '../../../domain/agent/xml/xml-element.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { FastXmlReader } from './fast-xml-reader.js';
import { signedOctets } from './signed-octets.js';
import { parseStrictly } from './strict-document.js';

const reader = new FastXmlReader();

const isSame = (left: XmlElement, right: XmlElement): boolean => JSON.stringify(left) === JSON.stringify(right);

/**
 * Reads octets that are proven, afresh. Two parsers that know nothing of each other have to see the same in them: where they
 * do not, one of them is wrong about what was signed.
 */
const readProven = (octets: string): Result<XmlElement, DocumentRejection> => {
  const strict = parseStrictly(octets);
  const fast = reader.read(octets);
  if (!strict.ok || !fast.ok || !isSame(strict.value.root, fast.value)) return err('document_not_well_formed');
  return ok(fast.value);
};

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
