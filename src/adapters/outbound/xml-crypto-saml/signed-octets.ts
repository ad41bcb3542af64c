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

/** Maximum characters of a canonical SignedInfo; with one reference it has about a thousand. */
const maxSignedInfoLength = 16 * 1024;

const elementNode = 1;

/** The namespaces that an element declares. */
const declaredBy = (element: Element): readonly NamespacePrefix[] =>
  Array.from(element.attributes)
    .filter(({ prefix }) => prefix === 'xmlns')
    .map(({ localName, value }) => ({ prefix: localName, namespaceURI: value }));

/** The namespaces in scope from ancestors that the element does not declare; the nearest counts. */
const namespacesAround = (element: Element): NamespacePrefix[] => {
  const seen = new Set(declaredBy(element).map(({ prefix }) => prefix));
  const around: NamespacePrefix[] = [];
  // xmldom has no parentElement; the last parentNode is the document.
  for (let outer = element.parentNode; outer?.nodeType === elementNode; outer = outer.parentNode) {
    for (const declared of declaredBy(outer as Element)) {
      if (!seen.has(declared.prefix)) around.push(declared);
      seen.add(declared.prefix);
    }
  }
  return around;
};

const canonical = (signedInfo: Element): string | null => {
  // Canonicalization changes its input.
  const copy = signedInfo.cloneNode(true) as Element;
  try {
    return new ExclusiveCanonicalization().process(copy, { ancestorNamespaces: namespacesAround(signedInfo) });
  } catch {
    return null;
  }
};

/**
 * Whether one of the keys signed the SignedInfo. Does not prove the rest of the document. Costs a
 * few kilobytes of work for any document size. INVARIANT: the signature's shape has been checked.
 */
const isSignatureValueGood = (signature: Element, keys: readonly KeyObject[]): boolean => {
  const { ds } = xmlNamespaces;
  const [signedInfo] = domChildren(signature, ds, 'SignedInfo');
  const [value] = domChildren(signature, ds, 'SignatureValue');
  const [method] = signedInfo === undefined ? [] : domChildren(signedInfo, ds, 'SignatureMethod');
  const algorithm = signatureAlgorithms.get(method?.getAttribute('Algorithm') ?? '');
  if (signedInfo === undefined || value === undefined || algorithm === undefined) return false;
  if ((signedInfo.textContent ?? '').length > maxSignedInfoLength) return false;
  const octets = canonical(signedInfo);
  if (octets === null || octets.length > maxSignedInfoLength) return false;
  return isSignedByOneOf(keys, algorithm, octets, value.textContent ?? '');
};

type Classes<Algorithm> = Record<string, new () => Algorithm>;

/**
 * The accepted algorithms for xml-crypto, which lacks ECDSA. Each verifies with these keys only.
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

/** The accepted digests for xml-crypto. */
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
 * Maximum total characters of the inclusive prefix lists: each prefix is looked up in every scope.
 */
const maxPrefixListsLength = 1024;

const prefixListsLength = (element: XmlElement): number =>
  allChildElements(element).reduce(
    (length, child) => length + prefixListsLength(child),
    isNamed(element, xmlNamespaces.excC14n, 'InclusiveNamespaces')
      ? (attributeOf(element, 'PrefixList') ?? '').length
      : 0,
  );

/** Verifies with xml-crypto. An exception means that the document is not proven. */
const check = (text: string, signature: Element, keys: readonly KeyObject[]): readonly string[] => {
  // The algorithms hold the keys; xml-crypto requires a value here.
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
 * The enveloped signature of an element, signed by one of the keys. Its covered content is not
 * compared yet. Fails with `unsigned` if there is none.
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
  // An empty reference would mean the whole document.
  const fault = id === '' ? 'signature_reference' : signatureFault(shape, id);
  if (fault !== null) return err(fault);
  if (prefixListsLength(shape) > maxPrefixListsLength) return err('signature_transform');
  return isSignatureValueGood(signature, keys) ? ok(signature) : err('wrong_signature');
};

/**
 * The canonical octets of an element that its enveloped signature covers, signed by one of the
 * keys. Trust nothing but these octets. `text` is the element's document. Fails with `unsigned` if
 * it has no signature.
 */
export const signedOctets = (
  text: string,
  element: Element,
  keys: readonly KeyObject[],
): Result<string, DocumentRejection> => {
  // Checked before the canonicalization of the document, the main cost of a large one.
  const signature = envelopedSignature(element, keys);
  if (!signature.ok) return signature;
  if (text.includes('<!--') && keepsComments(xmlElementOf(signature.value))) return err('signature_transform');
  const [octets, ...more] = check(text, signature.value, keys);
  return octets === undefined || more.length > 0 ? err('wrong_signature') : ok(octets);
};
