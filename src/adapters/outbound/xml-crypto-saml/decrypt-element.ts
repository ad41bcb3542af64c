import type { DecryptElement } from '../../../domain/agent/saml/document/encrypted-id.js';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import { attributeOf, childElements, isNamed } from '../../../domain/agent/xml/element-access.js';
import type { XmlElement } from '../../../domain/agent/xml/xml-element.js';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-names.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import { decryptContent, isContentCipher } from './content-cipher.js';
import { decodeDecrypted } from './decode-document.js';
import { cipherOctets, decryptTransportedKey, readTransportedKey } from './key-transport.js';
import { parseStrictly, type StrictDocument } from './strict-document.js';

/** An element as it was encrypted, with its text. */
export interface DecryptedElement extends StrictDocument {
  readonly text: string;
}

const { xenc, ds, saml } = xmlNamespaces;

/** The EncryptedKey in the KeyInfo, or beside the data (SAML core, section 2.3.4); null where there is not one alone. */
const encryptedKeyOf = (wrapper: XmlElement, data: XmlElement): XmlElement | null => {
  const inside = childElements(data, ds, 'KeyInfo').flatMap((info) => childElements(info, xenc, 'EncryptedKey'));
  const [key, ...more] = [...inside, ...childElements(wrapper, xenc, 'EncryptedKey')];
  return key === undefined || more.length > 0 ? null : key;
};

const plainOctets = (wrapper: XmlElement, key: Secret): Result<Uint8Array, DocumentRejection> => {
  const [data, ...others] = childElements(wrapper, xenc, 'EncryptedData');
  if (data === undefined || others.length > 0) return err('undecipherable');
  const [method, ...otherMethods] = childElements(data, xenc, 'EncryptionMethod');
  const cipher = method === undefined ? null : attributeOf(method, 'Algorithm');
  if (cipher === null || otherMethods.length > 0) return err('undecipherable');
  if (!isContentCipher(cipher)) return err('weak_encryption');
  const encryptedKey = encryptedKeyOf(wrapper, data);
  if (encryptedKey === null) return err('undecipherable');
  const transported = readTransportedKey(encryptedKey);
  if (typeof transported === 'string') return err(transported);
  const contentKey = decryptTransportedKey(transported, key.reveal());
  const content = cipherOctets(data);
  const octets = contentKey === null || content === null ? null : decryptContent(cipher, contentKey, content);
  return octets === null ? err('undecipherable') : ok(octets);
};

/**
 * Decrypts the element in an EncryptedAssertion or EncryptedID. It goes through all that any document goes through first. Only
 * AES-GCM by way of RSA-OAEP: whatever else can be changed or guessed without the key.
 */
const decryptElement = (wrapper: XmlElement, key: Secret | null): Result<DecryptedElement, DocumentRejection> => {
  if (key === null) return err('encrypted_without_key');
  const octets = plainOctets(wrapper, key);
  if (!octets.ok) return octets;
  const text = decodeDecrypted(octets.value);
  if (!text.ok) return text;
  const parsed = parseStrictly(text.value);
  return parsed.ok ? ok({ ...parsed.value, text: text.value }) : parsed;
};

/** Decrypts an EncryptedAssertion, in which is one assertion. */
export const decryptAssertion = (
  wrapper: XmlElement,
  key: Secret | null,
): Result<DecryptedElement, DocumentRejection> => {
  const decrypted = decryptElement(wrapper, key);
  if (!decrypted.ok) return decrypted;
  return isNamed(decrypted.value.root, saml, 'Assertion') ? decrypted : err('no_assertion');
};

/** Decrypts an EncryptedID. It stands in what is proven: its own text is not signed, but its encrypted octets are. */
export const decryptId =
  (key: Secret | null): DecryptElement =>
  (wrapper) => {
    const decrypted = decryptElement(wrapper, key);
    return decrypted.ok ? ok(decrypted.value.root) : decrypted;
  };
