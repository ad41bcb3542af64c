import { createHash, type KeyObject } from 'node:crypto';
import {
  type CanonicalizationOrTransformationAlgorithm,
  ExclusiveCanonicalization,
  type HashAlgorithm,
  type NamespacePrefix,
  type SignatureAlgorithm,
  SignedXml,
} from 'xml-crypto';
import {
  digestAlgorithms,
  exclusiveWithComments,
  keepsComments,
  signatureAlgorithms,
  signatureFault,
} from '../../../domain/agent/saml/document/signed-info-shape.js';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import { allChildElements, attributeOf, isNamed, type XmlElement } from '../../../domain/agent/xml/element-access.js';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-name.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { isSignedByOneOf } from './signing-keys.js';
import { domChildren, xmlElementOf } from './strict-document.js';

/** Characters of a canonical SignedInfo; with one reference it has about a thousand. */
const maximumSignedInfo = 16 * 1024;

const elementNode = 1;

/** Namespaces by prefix that an element declares itself. */
const declaredBy = (element: Element): readonly NamespacePrefix[] =>
  Array.from(element.attributes)
    .filter(({ prefix }) => prefix === 'xmlns')
    .map(({ localName, value }) => ({ prefix: localName, namespaceURI: value }));

/**
 * Those that are in scope from further out, as far as it does not declare them itself; the nearest
 * declaration counts.
 */
const namespacesAround = (element: Element): NamespacePrefix[] => {
  const seen = new Set(declaredBy(element).map(({ prefix }) => prefix));
  const around: NamespacePrefix[] = [];
  // xmldom knows no parentElement; the last of the parents is the document.
  for (let outer = element.parentNode; outer?.nodeType === elementNode; outer = outer.parentNode) {
    for (const declared of declaredBy(outer as Element)) {
      if (!seen.has(declared.prefix)) around.push(declared);
      seen.add(declared.prefix);
    }
  }
  return around;
};

const canonical = (signedInfo: Element): string | null => {
  // Canonicalization writes declarations into what it is given.
  const copy = signedInfo.cloneNode(true) as Element;
  try {
    return new ExclusiveCanonicalization().process(copy, { ancestorNamespaces: namespacesAround(signedInfo) });
  } catch {
    return null;
  }
};

/**
 * Whether one of the keys has made the value of a signature, over its SignedInfo: that the rest of
 * the document is what was signed is not said. It takes a few kilobytes of work however large the
 * document is. The shape of the signature has been checked.
 */
const isSignatureValueGood = (signature: Element, keys: readonly KeyObject[]): boolean => {
  const { ds } = xmlNamespaces;
  const [signedInfo] = domChildren(signature, ds, 'SignedInfo');
  const [value] = domChildren(signature, ds, 'SignatureValue');
  const [method] = signedInfo === undefined ? [] : domChildren(signedInfo, ds, 'SignatureMethod');
  const algorithm = signatureAlgorithms.get(method?.getAttribute('Algorithm') ?? '');
  if (signedInfo === undefined || value === undefined || algorithm === undefined) return false;
  if ((signedInfo.textContent ?? '').length > maximumSignedInfo) return false;
  const octets = canonical(signedInfo);
  if (octets === null || octets.length > maximumSignedInfo) return false;
  return isSignedByOneOf(keys, algorithm, octets, value.textContent ?? '');
};

type Classes<Algorithm> = Record<string, new () => Algorithm>;

/**
 * The algorithms that are believed, for xml-crypto, which has no ECDSA of its own; each checks with
 * these keys and no other.
 */
const checkingAlgorithms = (keys: readonly KeyObject[]): Classes<SignatureAlgorithm> =>
  Object.fromEntries(
    Array.from(signatureAlgorithms, ([uri, algorithm]) => [
      uri,
      class implements SignatureAlgorithm {
        getAlgorithmName(): string {
          return uri;
        }
        getSignature(): string {
          throw new Error('this only checks signatures');
        }
        verifySignature(material: string, _key: unknown, value: string): boolean {
          return isSignedByOneOf(keys, algorithm, material, value);
        }
      },
    ]),
  );

/** The digests that are believed, for xml-crypto. */
const digestClasses: Classes<HashAlgorithm> = Object.fromEntries(
  Array.from(digestAlgorithms, ([uri, hash]) => [
    uri,
    class implements HashAlgorithm {
      getAlgorithmName(): string {
        return uri;
      }
      getHash(xml: string): string {
        return createHash(hash).update(xml, 'utf8').digest('base64');
      }
    },
  ]),
);

type Transform = new () => CanonicalizationOrTransformationAlgorithm;

const envelopedTransform = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
/**
 * Characters of all lists of inclusive prefixes in a signature: each prefix is looked for in every
 * scope.
 */
const maximumPrefixLists = 1024;

const prefixListsLength = (element: XmlElement): number =>
  allChildElements(element).reduce(
    (length, child) => length + prefixListsLength(child),
    isNamed(element, xmlNamespaces.excC14n, 'InclusiveNamespaces')
      ? (attributeOf(element, 'PrefixList') ?? '').length
      : 0,
  );

/**
 * As far as xml-crypto goes wrong, it can be made to by the document alone, which is then not
 * proven.
 */
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
 * The enveloped signature of an element, whose value one of the keys has made; what it covers has
 * still to be compared. Fails with `unsigned` where there is none.
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
 * The canonical octets of an element that its enveloped signature covers, where one of the keys has
 * made that; nothing but these octets may be believed. `text` is the document of the element. Fails
 * with `unsigned` where it has no signature.
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
