import { allChildElements, attributeOf, childElements, elementText, isNamed } from '../../xml/element-access.js';
import { exactChildren, isEmptyElement } from '../../xml/exact-children.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { DocumentRejection } from '../document-rejection.js';
import { digestAlgorithms, signatureAlgorithms } from './signature-algorithms.js';

const envelopedSignature = `${xmlNamespaces.ds}enveloped-signature`;

type Fault = DocumentRejection | null;

const isBelieved = (method: XmlElement, algorithms: ReadonlyMap<string, unknown>): boolean =>
  algorithms.has(attributeOf(method, 'Algorithm') ?? '') && isEmptyElement(method);

/** Exclusive canonicalization that keeps comments. Where there is none its result is that of the one without. */
export const exclusiveWithComments = `${xmlNamespaces.excC14n}WithComments`;

/** Exclusive canonicalization, with nothing in it but the prefixes that it treats inclusively. */
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

/** One reference, to the element with that ID as a whole. */
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

/** The reason to refuse what a signature says it covers and how, or null. The ID is that of the element that it has to cover. */
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
 * Whether a signature names the canonicalization that keeps comments. Such a signature is refused where the document has any: what
 * reads the document afterwards leaves them out.
 */
export const keepsComments = (element: XmlElement): boolean =>
  allChildElements(element).some(
    (child) => attributeOf(child, 'Algorithm') === exclusiveWithComments || keepsComments(child),
  );
