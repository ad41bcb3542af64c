import { err, ok, type Result } from '../../../shared/result.js';
import { attributeOf, childElements, elementText, isNamed, type XmlElement } from '../../xml/element-access.js';
import { xmlNamespaces } from '../../xml/xml-name.js';
import type { NameId } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { malformedDocument, optionalChild, type Read } from './reading.js';

const { saml } = xmlNamespaces;

/** Decrypts an encrypted element. */
export type DecryptElement = (encrypted: XmlElement) => Result<XmlElement, DocumentRejection>;

const withInPlace = (parent: XmlElement, before: XmlElement, after: XmlElement): XmlElement => ({
  ...parent,
  children: parent.children.map((child) => (child === before ? after : child)),
});

/**
 * Replaces the EncryptedID directly below an element by its decrypted NameID (SAML core, section 2.2.4); without one
 * returns the element. Refuses several EncryptedIDs, and content other than a NameID. Use only for verified elements:
 * anyone can encrypt for this service provider.
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

/** The same for the subject of an assertion. The reader refuses an assertion without exactly one subject. */
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
 * Maximum UTF-16 code units. Identifiers have at most 256 (SAML core, sections 8.3.7 and 8.3.8); directory names may be
 * longer.
 */
const greatestLength = 1024;
/** Control characters and line ends, which would display and log a name as a different one. */
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
 * The exact NameID directly below; null if absent. A subject with another kind of identifier, or a still encrypted one,
 * is unusable.
 */
export const readNameIdOf = (parent: XmlElement): Read<NameId | null> => {
  const isOther = ['BaseID', 'EncryptedID'].some((name) => childElements(parent, xmlNamespaces.saml, name).length > 0);
  if (isOther) return err('no_subject');
  const found = optionalChild(parent, xmlNamespaces.saml, 'NameID');
  if (!found.ok) return found;
  return found.value === null ? ok(null) : readNameId(found.value);
};
