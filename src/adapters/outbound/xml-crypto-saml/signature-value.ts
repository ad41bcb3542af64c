import type { KeyObject } from 'node:crypto';
import { ExclusiveCanonicalization, type NamespacePrefix } from 'xml-crypto';
import { signatureAlgorithms } from '../../../domain/agent/saml/document/signature-algorithms.js';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-names.js';
import { isSignedByOneOf } from './signature-check.js';
import { domChildren } from './strict-document.js';

/** Characters of a canonical SignedInfo; with one reference it has about a thousand. */
const maximumSignedInfo = 16 * 1024;

const elementNode = 1;

/** Namespaces by prefix that an element declares itself. */
const declaredBy = (element: Element): readonly NamespacePrefix[] =>
  Array.from(element.attributes)
    .filter(({ prefix }) => prefix === 'xmlns')
    .map(({ localName, value }) => ({ prefix: localName, namespaceURI: value }));

/** Those that are in scope from further out, as far as it does not declare them itself; the nearest declaration counts. */
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
 * Whether one of the keys has made the value of a signature, over its SignedInfo: that the rest of the document is what was signed is not
 * said. It takes a few kilobytes of work however large the document is. The shape of the signature has been checked.
 */
export const isSignatureValueGood = (signature: Element, keys: readonly KeyObject[]): boolean => {
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
