import { err, ok, type Result } from '../../../shared/result.js';
import { attributeOf, childElements, elementText, isNamed, type XmlElement } from '../../xml/element-access.js';
import { xmlNamespaces } from '../../xml/xml-name.js';
import type { NameId } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { malformedDocument, optionalChild, type Read } from './reading.js';

const { saml } = xmlNamespaces;

/** Gives the element that was encrypted. */
export type DecryptElement = (encrypted: XmlElement) => Result<XmlElement, DocumentRejection>;

const withInPlace = (parent: XmlElement, before: XmlElement, after: XmlElement): XmlElement => ({
  ...parent,
  children: parent.children.map((child) => (child === before ? after : child)),
});

/**
 * The element with the NameID in place of the EncryptedID directly below it (SAML core, section 2.2.4); itself where
 * it has none. Refused: several, and one that holds anything but a NameID. Only for an element that is proven:
 * anybody can encrypt for us.
 */
export const withDecryptedId = (parent: XmlElement, decrypt: DecryptElement): Result<XmlElement, DocumentRejection> => {
  const [encrypted, ...others] = childElements(parent, saml, 'EncryptedID');
  if (encrypted === undefined) return ok(parent);
  if (others.length > 0) return err('malformed_element');
  const decrypted = decrypt(encrypted);
  if (!decrypted.ok) return decrypted;
  return isNamed(decrypted.value, saml, 'NameID')
    ? ok(withInPlace(parent, encrypted, decrypted.value))
    : err('no_subject');
};

/** The same for the subject of an assertion. Where there is not one subject, whoever reads the assertion refuses it. */
export const withDecryptedSubject = (
  assertion: XmlElement,
  decrypt: DecryptElement,
): Result<XmlElement, DocumentRejection> => {
  const [subject, ...others] = childElements(assertion, saml, 'Subject');
  if (subject === undefined || others.length > 0) return ok(assertion);
  const named = withDecryptedId(subject, decrypt);
  return named.ok ? ok(withInPlace(assertion, subject, named.value)) : named;
};

/**
 * UTF-16 code units. Identifiers are of 256 at most (SAML core, sections 8.3.7 and 8.3.8); directory names may be
 * longer.
 */
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
 * The NameID directly below, its text exact; null: none is there. A subject that is named by something else, still
 * encrypted or of a type of its own, is one that nobody here can tell.
 */
export const readNameIdOf = (parent: XmlElement): Read<NameId | null> => {
  const isOther = ['BaseID', 'EncryptedID'].some((name) => childElements(parent, xmlNamespaces.saml, name).length > 0);
  if (isOther) return err('no_subject');
  const found = optionalChild(parent, xmlNamespaces.saml, 'NameID');
  if (!found.ok) return found;
  return found.value === null ? ok(null) : readNameId(found.value);
};
