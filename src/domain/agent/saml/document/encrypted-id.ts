import { err, ok, type Result } from '../../../shared/result.js';
import { childElements, isNamed } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { DocumentRejection } from '../document-rejection.js';

const { saml } = xmlNamespaces;

/** Gives the element that was encrypted. */
export type DecryptElement = (encrypted: XmlElement) => Result<XmlElement, DocumentRejection>;

const withInPlace = (parent: XmlElement, before: XmlElement, after: XmlElement): XmlElement => ({
  ...parent,
  children: parent.children.map((child) => (child === before ? after : child)),
});

/**
 * The element with the NameID in place of the EncryptedID directly below it (SAML core, section 2.2.4); itself where it has none.
 * Refused: several, and one that holds anything but a NameID. Only for an element that is proven: anybody can encrypt for us.
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
