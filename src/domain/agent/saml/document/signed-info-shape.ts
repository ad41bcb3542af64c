import {
  allChildElements,
  attributeOf,
  childElements,
  elementText,
  exactChildren,
  isEmptyElement,
  isNamed,
  placedElements,
  type XmlElement,
} from '../../xml/element-access.js';
import { isNameWithoutColon, xmlNamespaces } from '../../xml/xml-name.js';
import type { DocumentRejection } from '../document-rejection.js';

/** An accepted signature algorithm: PKCS #1 v1.5 for RSA, concatenated r and s for ECDSA (RFC 9231, section 2.3). */
export interface XmlSignatureAlgorithm {
  /** The required key type. */
  readonly keyType: 'rsa' | 'ec';
  readonly hash: 'sha256' | 'sha384' | 'sha512';
}

const more = 'http://www.w3.org/2001/04/xmldsig-more#';

/** Accepted signature algorithms by URI (RFC 9231). None uses SHA-1 or a shared key. */
export const signatureAlgorithms: ReadonlyMap<string, XmlSignatureAlgorithm> = new Map([
  [`${more}rsa-sha256`, { keyType: 'rsa', hash: 'sha256' }],
  [`${more}rsa-sha384`, { keyType: 'rsa', hash: 'sha384' }],
  [`${more}rsa-sha512`, { keyType: 'rsa', hash: 'sha512' }],
  [`${more}ecdsa-sha256`, { keyType: 'ec', hash: 'sha256' }],
  [`${more}ecdsa-sha384`, { keyType: 'ec', hash: 'sha384' }],
  [`${more}ecdsa-sha512`, { keyType: 'ec', hash: 'sha512' }],
]);

/** Accepted digest algorithms by URI (XML Encryption, section 5.7; RFC 9231, section 2.1). */
export const digestAlgorithms: ReadonlyMap<string, XmlSignatureAlgorithm['hash']> = new Map([
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  [`${more}sha384`, 'sha384'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
]);

/** Elements that determine what a signature covers. Libraries search for them anywhere in it, by local name. */
const decisive: ReadonlySet<string> = new Set([
  'CanonicalizationMethod',
  'DigestMethod',
  'DigestValue',
  'Manifest',
  'Object',
  'Reference',
  'Signature',
  'SignatureMethod',
  'SignatureValue',
  'SignedInfo',
  'Transform',
  'Transforms',
]);

const keyInfoFault = (keyInfo: XmlElement): DocumentRejection | null =>
  placedElements(keyInfo).some(({ element }) => decisive.has(element.name)) ? 'malformed_element' : null;

/**
 * The reason to refuse a signature before verification, or null. It must contain one SignedInfo, one SignatureValue and
 * at most one KeyInfo, whose keys are ignored. It must cover its whole parent element, which has this ID (XML
 * Signature, section 4; SAML core, section 5.4).
 */
export const signatureFault = (signature: XmlElement, parentId: string): DocumentRejection | null => {
  const names = ['SignedInfo', 'SignatureValue'];
  if (allChildElements(signature).length > names.length) names.push('KeyInfo');
  const parts = exactChildren(signature, xmlNamespaces.ds, names);
  const [signedInfo, value, keyInfo] = parts ?? [];
  if (!isNamed(signature, xmlNamespaces.ds, 'Signature') || signedInfo === undefined || value === undefined) {
    return 'malformed_element';
  }
  if ((elementText(value) ?? '') === '') return 'malformed_element';
  // An ID that is not a name could turn the reference into something else, such as an XPointer.
  if (!isNameWithoutColon(parentId)) return 'signature_reference';
  return (keyInfo === undefined ? null : keyInfoFault(keyInfo)) ?? signedInfoFault(signedInfo, parentId);
};

const envelopedSignature = `${xmlNamespaces.ds}enveloped-signature`;

type Fault = DocumentRejection | null;

const isBelieved = (method: XmlElement, algorithms: ReadonlyMap<string, unknown>): boolean =>
  algorithms.has(attributeOf(method, 'Algorithm') ?? '') && isEmptyElement(method);

/** Exclusive canonicalization with comments. Without comments in the document, both variants are equal. */
export const exclusiveWithComments = `${xmlNamespaces.excC14n}WithComments`;

/** Exclusive canonicalization that contains at most a list of inclusive prefixes. */
const isExclusive = (method: XmlElement): boolean => {
  const algorithm = attributeOf(method, 'Algorithm');
  if (algorithm !== xmlNamespaces.excC14n && algorithm !== exclusiveWithComments) return false;
  const parts = isEmptyElement(method) ? [] : exactChildren(method, xmlNamespaces.excC14n, ['InclusiveNamespaces']);
  return parts?.every(isEmptyElement) ?? false;
};

const transformsFault = (transforms: XmlElement): Fault => {
  const steps = exactChildren(transforms, xmlNamespaces.ds, ['Transform', 'Transform']);
  const [first, second] = steps ?? [];
  if (first === undefined || second === undefined) return 'signature_transform';
  const isEnveloped = attributeOf(first, 'Algorithm') === envelopedSignature && isEmptyElement(first);
  return isEnveloped && isExclusive(second) ? null : 'signature_transform';
};

/** A reference to the whole element with that ID. */
const referenceFault = (reference: XmlElement, id: string): Fault => {
  if (attributeOf(reference, 'URI') !== `#${id}` || attributeOf(reference, 'Type') !== null)
    return 'signature_reference';
  const hasTransforms = childElements(reference, xmlNamespaces.ds, 'Transforms').length > 0;
  const parts = exactChildren(reference, xmlNamespaces.ds, ['Transforms', 'DigestMethod', 'DigestValue']);
  const [transforms, method, value] = parts ?? [];
  if (transforms === undefined || method === undefined || value === undefined) {
    return hasTransforms ? 'malformed_element' : 'signature_transform';
  }
  if (!isBelieved(method, digestAlgorithms)) return 'weak_algorithm';
  return (elementText(value) ?? '') === '' ? 'malformed_element' : transformsFault(transforms);
};

/** The reason to refuse the SignedInfo of a signature, or null. `id`: the element that it must cover. */
export const signedInfoFault = (signedInfo: XmlElement, id: string): Fault => {
  const references = allChildElements(signedInfo).filter((child) => isNamed(child, xmlNamespaces.ds, 'Reference'));
  if (references.length !== 1) return 'signature_reference';
  const names = ['CanonicalizationMethod', 'SignatureMethod', 'Reference'];
  const [canonicalization, method, reference] = exactChildren(signedInfo, xmlNamespaces.ds, names) ?? [];
  if (canonicalization === undefined || method === undefined || reference === undefined) return 'malformed_element';
  if (!isExclusive(canonicalization)) return 'signature_transform';
  return isBelieved(method, signatureAlgorithms) ? referenceFault(reference, id) : 'weak_algorithm';
};

/**
 * Whether a signature uses canonicalization with comments. It is refused if the document has comments, because later
 * readers omit them.
 */
export const keepsComments = (element: XmlElement): boolean =>
  allChildElements(element).some(
    (child) => attributeOf(child, 'Algorithm') === exclusiveWithComments || keepsComments(child),
  );
