import type { KeyObject } from 'node:crypto';
import { type CanonicalizationOrTransformationAlgorithm, SignedXml } from 'xml-crypto';
import { signatureFault } from '../../../domain/agent/saml/document/signature-shape.js';
import { exclusiveWithComments, keepsComments } from '../../../domain/agent/saml/document/signed-info-shape.js';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import { allChildElements, attributeOf, isNamed } from '../../../domain/agent/xml/element-access.js';
import type { XmlElement } from '../../../domain/agent/xml/xml-element.js';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-names.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { isSignatureValueGood } from './signature-value.js';
import { domChildren, xmlElementOf } from './strict-document.js';
import { checkingAlgorithms, digestClasses } from './xml-crypto-algorithms.js';

type Transform = new () => CanonicalizationOrTransformationAlgorithm;

const envelopedTransform = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
/** Characters of all lists of inclusive prefixes in a signature: each prefix is looked for in every scope. */
const maximumPrefixLists = 1024;

const prefixListsLength = (element: XmlElement): number =>
  allChildElements(element).reduce(
    (length, child) => length + prefixListsLength(child),
    isNamed(element, xmlNamespaces.excC14n, 'InclusiveNamespaces')
      ? (attributeOf(element, 'PrefixList') ?? '').length
      : 0,
  );

/** As far as xml-crypto goes wrong, it can be made to by the document alone, which is then not proven. */
const check = (text: string, signature: Element, keys: readonly KeyObject[]): readonly string[] => {
  // The key is in the algorithms; without any here xml-crypto would not begin.
  const checker = new SignedXml({ publicCert: 'in the algorithms', getCertFromKeyInfo: () => null });
  const { CanonicalizationAlgorithms: known } = checker;
  checker.idAttributes = ['ID'];
  checker.CanonicalizationAlgorithms = {
    [envelopedTransform]: known[envelopedTransform] as Transform,
    [xmlNamespaces.excC14n]: known[xmlNamespaces.excC14n] as Transform,
    [exclusiveWithComments]: known[exclusiveWithComments] as Transform,
  };
  checker.HashAlgorithms = digestClasses;
  checker.SignatureAlgorithms = checkingAlgorithms(keys);
  try {
    checker.loadSignature(signature);
    return checker.checkSignature(text) ? checker.getSignedReferences() : [];
  } catch {
    return [];
  }
};

/**
 * The enveloped signature of an element, whose value one of the keys has made; what it covers has still to be compared. Fails with
 * `unsigned` where there is none.
 */
export const envelopedSignature = (
  element: Element,
  keys: readonly KeyObject[],
): Result<Element, DocumentRejection> => {
  const [signature, ...others] = domChildren(element, xmlNamespaces.ds, 'Signature');
  if (signature === undefined) return err('unsigned');
  if (others.length > 0) return err('several_signatures');
  const shape = xmlElementOf(signature);
  const id = element.getAttribute('ID') ?? '';
  // An empty reference would be one to the whole document.
  const fault = id === '' ? 'signature_reference' : signatureFault(shape, id);
  if (fault !== null) return err(fault);
  if (prefixListsLength(shape) > maximumPrefixLists) return err('signature_transform');
  return isSignatureValueGood(signature, keys) ? ok(signature) : err('wrong_signature');
};

/**
 * The canonical octets of an element that its enveloped signature covers, where one of the keys has made that; nothing but
 * these octets may be believed. `text` is the document of the element. Fails with `unsigned` where it has no signature.
 */
export const signedOctets = (
  text: string,
  element: Element,
  keys: readonly KeyObject[],
): Result<string, DocumentRejection> => {
  // Before the document is canonicalised as a whole: that is what a large one costs most for.
  const signature = envelopedSignature(element, keys);
  if (!signature.ok) return signature;
  if (text.includes('<!--') && keepsComments(xmlElementOf(signature.value))) return err('signature_transform');
  const [octets, ...more] = check(text, signature.value, keys);
  return octets === undefined || more.length > 0 ? err('wrong_signature') : ok(octets);
};
