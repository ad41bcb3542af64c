import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import type { XmlElement } from '../../../domain/agent/xml/xml-element.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { FastXmlReader } from './fast-xml-reader.js';
import { parseStrictly } from './strict-document.js';

const reader = new FastXmlReader();

const isSame = (left: XmlElement, right: XmlElement): boolean => JSON.stringify(left) === JSON.stringify(right);

/**
 * Reads octets that are proven, afresh. Two parsers that know nothing of each other have to see the same in them: where they
 * do not, one of them is wrong about what was signed.
 */
export const readProven = (octets: string): Result<XmlElement, DocumentRejection> => {
  const strict = parseStrictly(octets);
  const fast = reader.read(octets);
  if (!strict.ok || !fast.ok || !isSame(strict.value.root, fast.value)) return err('document_not_well_formed');
  return ok(fast.value);
};
