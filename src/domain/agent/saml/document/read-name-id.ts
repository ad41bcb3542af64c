import { err, ok } from '../../../shared/result.js';
import { attributeOf, childElements, elementText } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { NameId } from '../name-id.js';
import { malformedDocument, optionalChild, type Read } from './reading.js';

/** UTF-16 code units. Identifiers are of 256 at the most (SAML core, sections 8.3.7 and 8.3.8); directory names may be longer. */
const greatestLength = 1024;
/** Control characters, and what ends a line: a name that has one is shown and logged as something else than it is. */
const unshowable = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/;

const isUsable = (value: string): boolean =>
  value.trim() !== '' && value.length <= greatestLength && !unshowable.test(value);

const readNameId = (element: XmlElement): Read<NameId> => {
  const value = elementText(element);
  if (value === null) return malformedDocument;
  if (!isUsable(value)) return err('no_subject');
  return ok({
    value,
    format: attributeOf(element, 'Format'),
    nameQualifier: attributeOf(element, 'NameQualifier'),
    spNameQualifier: attributeOf(element, 'SPNameQualifier'),
  });
};

/**
 * The NameID directly below, its text exact; null: none is there. A subject that is named by something else, still encrypted or of
 * a type of its own, is one that nobody here can tell.
 */
export const readNameIdOf = (parent: XmlElement): Read<NameId | null> => {
  const isOther = ['BaseID', 'EncryptedID'].some((name) => childElements(parent, xmlNamespaces.saml, name).length > 0);
  if (isOther) return err('no_subject');
  const found = optionalChild(parent, xmlNamespaces.saml, 'NameID');
  if (!found.ok) return found;
  return found.value === null ? ok(null) : readNameId(found.value);
};
