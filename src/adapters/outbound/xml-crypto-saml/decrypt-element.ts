import { createDecipheriv } from 'node:crypto';
import { decryptKeyInfo } from 'xml-encryption';
import type { DecryptElement } from '../../../domain/agent/saml/document/read-name-id.js';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import {
  attributeOf,
  childElements,
  elementText,
  isNamed,
  type XmlElement,
} from '../../../domain/agent/xml/element-access.js';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-name.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import { decodeDecrypted, decodeFoldedBase64 } from './decode-document.js';
import { parseStrictly, type StrictDocument } from './strict-document.js';

const oaepMgf1p = `${xmlNamespaces.xenc}rsa-oaep-mgf1p`;
const oaep = `${xmlNamespaces.xenc11}rsa-oaep`;
const sha1 = `${xmlNamespaces.ds}sha1`;
const sha256 = `${xmlNamespaces.xenc}sha256`;
const mgf1Sha1 = `${xmlNamespaces.xenc11}mgf1sha1`;
const mgf1Sha256 = `${xmlNamespaces.xenc11}mgf1sha256`;

/** Maximum octets of an RSA ciphertext. */
const maxCiphertextOctets = 2048;

/** An encrypted key whose algorithms are accepted. */
interface TransportedKey {
  readonly algorithm: string;
  readonly digest: string;
  /** Null: the mask of the algorithm. */
  readonly mask: string | null;
  readonly ciphertext: Uint8Array;
}

/**
 * The Algorithm of the single child with a name; the default if there is none, null if there are
 * several.
 */
const algorithmOf = <Default>(method: XmlElement, namespace: string, name: string, otherwise: Default) => {
  const [child, ...more] = childElements(method, namespace, name);
  if (more.length > 0) return null;
  return child === undefined ? otherwise : attributeOf(child, 'Algorithm');
};

/**
 * The octets of the single CipherValue; null if absent, repeated or invalid base64. Ignores
 * external references.
 */
const cipherOctets = (element: XmlElement): Uint8Array | null => {
  const [data, ...otherData] = childElements(element, xmlNamespaces.xenc, 'CipherData');
  const [value, ...otherValues] = data === undefined ? [] : childElements(data, xmlNamespaces.xenc, 'CipherValue');
  if (value === undefined || otherData.length > 0 || otherValues.length > 0) return null;
  const text = elementText(value);
  return text === null ? null : decodeFoldedBase64(text);
};

/**
 * Reads an EncryptedKey (XML Encryption 1.1, section 5.5): RSA-OAEP with SHA-1 or SHA-256 for
 * digest and mask. Every other algorithm fails with `weak_encryption`, above all PKCS #1 v1.5.
 */
const readTransportedKey = (key: XmlElement): TransportedKey | 'weak_encryption' | 'undecipherable' => {
  const [method, ...others] = childElements(key, xmlNamespaces.xenc, 'EncryptionMethod');
  if (method === undefined || others.length > 0) return 'undecipherable';
  const algorithm = attributeOf(method, 'Algorithm');
  if (algorithm !== oaepMgf1p && algorithm !== oaep) return 'weak_encryption';
  const digest = algorithmOf(method, xmlNamespaces.ds, 'DigestMethod', sha1);
  if (digest !== sha1 && digest !== sha256) return 'weak_encryption';
  // rsa-oaep-mgf1p implies its mask and allows no MGF element.
  const mask = algorithmOf(method, xmlNamespaces.xenc11, 'MGF', algorithm === oaep ? mgf1Sha1 : '');
  const isKnownMask = algorithm === oaep ? mask === mgf1Sha1 || mask === mgf1Sha256 : mask === '';
  if (mask === null || !isKnownMask) return 'weak_encryption';
  if (childElements(method, xmlNamespaces.xenc, 'OAEPparams').length > 0) return 'undecipherable';
  const ciphertext = cipherOctets(key);
  if (ciphertext === null || ciphertext.length > maxCiphertextOctets) return 'undecipherable';
  return { algorithm, digest, mask: mask === '' ? null : mask, ciphertext };
};

/**
 * Decrypts a key; null on failure. Uses xml-encryption, because Node supports no OAEP with two
 * different hashes. Its input is generated here and contains only the ciphertext of the document.
 */
const decryptTransportedKey = (
  { algorithm, digest, mask, ciphertext }: TransportedKey,
  privateKey: string,
): Uint8Array | null => {
  const method = [
    `<e:EncryptionMethod Algorithm="${algorithm}"><d:DigestMethod Algorithm="${digest}"/>`,
    mask === null ? '' : `<f:MGF xmlns:f="${xmlNamespaces.xenc11}" Algorithm="${mask}"/>`,
    '</e:EncryptionMethod>',
  ].join('');
  const value = Buffer.from(ciphertext).toString('base64');
  const text = [
    `<d:KeyInfo xmlns:d="${xmlNamespaces.ds}" xmlns:e="${xmlNamespaces.xenc}"><e:EncryptedKey>${method}`,
    `<e:CipherData><e:CipherValue>${value}</e:CipherValue></e:CipherData></e:EncryptedKey></d:KeyInfo>`,
  ].join('');
  try {
    return decryptKeyInfo(text, { key: privateKey });
  } catch {
    return null;
  }
};

const gcm = 'http://www.w3.org/2009/xmlenc11#aes';

/**
 * Accepted content ciphers by URI (XML Encryption 1.1, section 5.2.4), with their key sizes in
 * octets.
 */
const contentCiphers: ReadonlyMap<
  string,
  { readonly cipher: 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm'; readonly keyOctets: number }
> = new Map([
  [`${gcm}128-gcm`, { cipher: 'aes-128-gcm', keyOctets: 16 }],
  [`${gcm}192-gcm`, { cipher: 'aes-192-gcm', keyOctets: 24 }],
  [`${gcm}256-gcm`, { cipher: 'aes-256-gcm', keyOctets: 32 }],
]);

const ivOctets = 12;
const tagOctets = 16;

const isContentCipher = (uri: string): boolean => contentCiphers.has(uri);

/**
 * Decrypts content between an initialisation vector and a tag; null if the tag or a length is
 * wrong. Uses node:crypto: xml-encryption lacks AES-192, accepts truncated tags and repairs invalid
 * UTF-8.
 */
const decryptContent = (uri: string, key: Uint8Array, octets: Uint8Array): Uint8Array | null => {
  const known = contentCiphers.get(uri);
  if (known === undefined || key.length !== known.keyOctets || octets.length < ivOctets + tagOctets) return null;
  try {
    const decipher = createDecipheriv(known.cipher, key, octets.subarray(0, ivOctets), { authTagLength: tagOctets });
    decipher.setAuthTag(octets.subarray(octets.length - tagOctets));
    const begin = decipher.update(octets.subarray(ivOctets, octets.length - tagOctets));
    return Buffer.concat([begin, decipher.final()]);
  } catch {
    return null;
  }
};

/** A decrypted element with its text. */
export interface DecryptedElement extends StrictDocument {
  readonly text: string;
}

const { xenc, ds, saml } = xmlNamespaces;

/**
 * The single EncryptedKey, in the KeyInfo or beside the data (SAML core, section 2.3.4); null if
 * there is none or several.
 */
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
 * Decrypts the element in an EncryptedAssertion or EncryptedID. Applies the checks of every
 * document. Accepts only AES-GCM with RSA-OAEP; other algorithms allow changes or guesses without
 * the key.
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

/** Decrypts an EncryptedAssertion, which must contain one assertion. */
export const decryptAssertion = (
  wrapper: XmlElement,
  key: Secret | null,
): Result<DecryptedElement, DocumentRejection> => {
  const decrypted = decryptElement(wrapper, key);
  if (!decrypted.ok) return decrypted;
  return isNamed(decrypted.value.root, saml, 'Assertion') ? decrypted : err('no_assertion');
};

/**
 * Decrypts an EncryptedID of a signed element: its plain text is not signed, but its encrypted
 * octets are.
 */
export const decryptId =
  (key: Secret | null): DecryptElement =>
  (wrapper) => {
    const decrypted = decryptElement(wrapper, key);
    return decrypted.ok ? ok(decrypted.value.root) : decrypted;
  };
