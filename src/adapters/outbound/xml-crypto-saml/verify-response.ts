import type { KeyObject } from 'node:crypto';
import type { SamlResponseHead, VerifiedResponse } from '../../../domain/agent/saml/assertion.js';
import {
  responseStructureFault,
  withDecryptedAssertion,
} from '../../../domain/agent/saml/document/message-structure.js';
import { readAssertion } from '../../../domain/agent/saml/document/read-assertion.js';
import { withDecryptedSubject } from '../../../domain/agent/saml/document/read-name-id.js';
import { readSamlResponseHead } from '../../../domain/agent/saml/document/read-saml-response-head.js';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import { childElements, isNamed, type XmlElement } from '../../../domain/agent/xml/element-access.js';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-name.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import { decryptAssertion, decryptId } from './decrypt-element.js';
import { provenElement } from './proven-element.js';
import { envelopedSignature } from './signed-octets.js';
import { domChildren, parseStrictly, type StrictDocument } from './strict-document.js';

const { saml } = xmlNamespaces;

/** The decrypted assertion of a response, with the document in which to verify it. */
interface ClearAssertion {
  readonly root: XmlElement;
  readonly element: Element;
  readonly text: string;
}

/** @param source the trusted tree: the signed response, or else the document */
const clearAssertion = (
  source: XmlElement,
  document: StrictDocument,
  text: string,
  key: Secret | null,
): Result<ClearAssertion, DocumentRejection> => {
  const [wrapper] = childElements(source, saml, 'EncryptedAssertion');
  if (wrapper === undefined) {
    const [root] = childElements(source, saml, 'Assertion');
    const [element] = domChildren(document.element, saml, 'Assertion');
    return root === undefined || element === undefined ? err('no_assertion') : ok({ root, element, text });
  }
  const decrypted = decryptAssertion(wrapper, key);
  if (!decrypted.ok) return decrypted;
  // Checked within the whole response, as if never encrypted: identifiers and signatures must not
  // collide.
  const fault = responseStructureFault(withDecryptedAssertion(source, decrypted.value.root));
  return fault === null ? decrypted : err(fault);
};

/** Why the signature of a plain assertion fails with these keys; null if it is valid or absent. */
const assertionValueFault = ({ element }: StrictDocument, keys: readonly KeyObject[]): DocumentRejection | null => {
  const [assertion] = domChildren(element, saml, 'Assertion');
  const signature = assertion === undefined ? null : envelopedSignature(assertion, keys);
  return signature === null || signature.ok || signature.error === 'unsigned' ? null : signature.error;
};

/** The response as covered by its own signature; null if unsigned. */
const provenResponse = (
  document: StrictDocument,
  text: string,
  keys: readonly KeyObject[],
): Result<XmlElement | null, DocumentRejection> => {
  const proven = provenElement(text, document.element, keys);
  if (!proven.ok) return proven.error === 'unsigned' ? ok(null) : proven;
  const fault = responseStructureFault(proven.value);
  return fault === null ? proven : err(fault);
};

/**
 * The trusted assertion. Its own signature must be valid if present, and is required unless the
 * response's signature covers it.
 */
const trustedAssertion = (
  { root, element, text }: ClearAssertion,
  isCovered: boolean,
  keys: readonly KeyObject[],
): Result<XmlElement, DocumentRejection> => {
  const proven = provenElement(text, element, keys);
  if (!proven.ok) return proven.error === 'unsigned' && isCovered ? ok(root) : proven;
  return isNamed(proven.value, saml, 'Assertion') ? ok(isCovered ? root : proven.value) : err('unexpected_root');
};

const joined = (
  head: Result<SamlResponseHead, DocumentRejection>,
  assertion: Result<VerifiedResponse['assertion'], DocumentRejection>,
): Result<VerifiedResponse, DocumentRejection> => {
  if (!head.ok) return head;
  return assertion.ok ? ok({ head: head.value, assertion: assertion.value }) : assertion;
};

/**
 * Verifies a Response. If the response is signed, reads everything from its signed content;
 * otherwise the assertion must be signed and is read from its signed content.
 */
export const verifyResponse = (
  text: string,
  document: StrictDocument,
  keys: readonly KeyObject[],
  decryptionKey: Secret | null,
): Result<VerifiedResponse, DocumentRejection> => {
  // Checks both signature values before the costly comparison with their content.
  const fault = responseStructureFault(document.root) ?? assertionValueFault(document, keys);
  if (fault !== null) return err(fault);
  const proven = provenResponse(document, text, keys);
  if (!proven.ok) return proven;
  const isSigned = proven.value !== null;
  const source = proven.value ?? document.root;
  const clear = clearAssertion(source, document, text, decryptionKey);
  if (!clear.ok) return clear;
  const assertion = trustedAssertion(clear.value, isSigned, keys);
  if (!assertion.ok) return assertion;
  const named = withDecryptedSubject(assertion.value, decryptId(decryptionKey));
  return named.ok ? joined(readSamlResponseHead(source, isSigned), readAssertion(named.value)) : named;
};

/** Parses and verifies a Response. */
export const verifyResponseText = (
  text: string,
  keys: readonly KeyObject[],
  decryptionKey: Secret | null,
): Result<VerifiedResponse, DocumentRejection> => {
  const document = parseStrictly(text);
  return document.ok ? verifyResponse(text, document.value, keys, decryptionKey) : document;
};
