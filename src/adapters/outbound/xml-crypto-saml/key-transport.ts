import { decryptKeyInfo } from 'xml-encryption';
import { attributeOf, childElements, elementText } from '../../../domain/agent/xml/element-access.js';
import type { XmlElement } from '../../../domain/agent/xml/xml-element.js';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-names.js';
import { decodeFoldedBase64 } from './decode-document.js';

const oaepMgf1p = `${xmlNamespaces.xenc}rsa-oaep-mgf1p`;
const oaep = `${xmlNamespaces.xenc11}rsa-oaep`;
const sha1 = `${xmlNamespaces.ds}sha1`;
const sha256 = `${xmlNamespaces.xenc}sha256`;
const mgf1Sha1 = `${xmlNamespaces.xenc11}mgf1sha1`;
const mgf1Sha256 = `${xmlNamespaces.xenc11}mgf1sha256`;

/** Octets of an RSA ciphertext, at the most. */
const maximumCiphertext = 2048;

/** An encrypted key whose algorithms are accepted. */
export interface TransportedKey {
  readonly algorithm: string;
  readonly digest: string;
  /** Null: that of the algorithm. */
  readonly mask: string | null;
  readonly ciphertext: Uint8Array;
}

/** The algorithm of the one child of that name; the default where there is none, and null where there are several. */
const algorithmOf = <Default>(method: XmlElement, namespace: string, name: string, otherwise: Default) => {
  const [child, ...more] = childElements(method, namespace, name);
  if (more.length > 0) return null;
  return child === undefined ? otherwise : attributeOf(child, 'Algorithm');
};

/** The octets of the one CipherValue in it; null: not one, or no base64. References to elsewhere are not followed. */
export const cipherOctets = (element: XmlElement): Uint8Array | null => {
  const [data, ...otherData] = childElements(element, xmlNamespaces.xenc, 'CipherData');
  const [value, ...otherValues] = data === undefined ? [] : childElements(data, xmlNamespaces.xenc, 'CipherValue');
  if (value === undefined || otherData.length > 0 || otherValues.length > 0) return null;
  const text = elementText(value);
  return text === null ? null : decodeFoldedBase64(text);
};

/**
 * Reads an EncryptedKey (XML Encryption 1.1, section 5.5): RSA-OAEP with SHA-1 or SHA-256 for the digest and the mask. Fails
 * with `weak_encryption` for every other algorithm, PKCS #1 v1.5 above all.
 */
export const readTransportedKey = (key: XmlElement): TransportedKey | 'weak_encryption' | 'undecipherable' => {
  const [method, ...others] = childElements(key, xmlNamespaces.xenc, 'EncryptionMethod');
  if (method === undefined || others.length > 0) return 'undecipherable';
  const algorithm = attributeOf(method, 'Algorithm');
  if (algorithm !== oaepMgf1p && algorithm !== oaep) return 'weak_encryption';
  const digest = algorithmOf(method, xmlNamespaces.ds, 'DigestMethod', sha1);
  if (digest !== sha1 && digest !== sha256) return 'weak_encryption';
  // Of rsa-oaep-mgf1p the mask is part, and none may be named.
  const mask = algorithmOf(method, xmlNamespaces.xenc11, 'MGF', algorithm === oaep ? mgf1Sha1 : '');
  const isKnownMask = algorithm === oaep ? mask === mgf1Sha1 || mask === mgf1Sha256 : mask === '';
  if (mask === null || !isKnownMask) return 'weak_encryption';
  if (childElements(method, xmlNamespaces.xenc, 'OAEPparams').length > 0) return 'undecipherable';
  const ciphertext = cipherOctets(key);
  if (ciphertext === null || ciphertext.length > maximumCiphertext) return 'undecipherable';
  return { algorithm, digest, mask: mask === '' ? null : mask, ciphertext };
};

/**
 * Decrypts a key; null where that fails. xml-encryption does it, because OAEP with two different hashes is more than Node can;
 * what it reads is written here, and nothing of the document is in it but the octets of the ciphertext.
 */
export const decryptTransportedKey = (
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
