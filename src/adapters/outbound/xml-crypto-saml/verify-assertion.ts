import type { KeyObject } from 'node:crypto';
import type { VerifiedAssertion } from '../../../domain/agent/saml/assertion.js';
import { withDecryptedSubject } from '../../../domain/agent/saml/document/encrypted-id.js';
import { assertionStructureFault } from '../../../domain/agent/saml/document/message-structure.js';
import { readAssertion } from '../../../domain/agent/saml/document/read-assertion.js';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import { isNamed } from '../../../domain/agent/xml/element-access.js';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-names.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import { decryptAssertion, decryptId } from './decrypt-element.js';
import { provenElement } from './proven-element.js';
import { parseStrictly, type StrictDocument } from './strict-document.js';
import { verifyResponse } from './verify-response.js';

const { saml, samlp } = xmlNamespaces;

/** Its own signature has to hold: nothing else covers it. */
const verifyAlone = (
  text: string,
  { root, element }: StrictDocument,
  keys: readonly KeyObject[],
  decryptionKey: Secret | null,
): Result<VerifiedAssertion, DocumentRejection> => {
  const fault = assertionStructureFault(root);
  if (fault !== null) return err(fault);
  const proven = provenElement(text, element, keys);
  if (!proven.ok) return proven;
  const provenFault = assertionStructureFault(proven.value);
  if (provenFault !== null) return err(provenFault);
  const named = withDecryptedSubject(proven.value, decryptId(decryptionKey));
  if (!named.ok) return named;
  const assertion = readAssertion(named.value);
  return assertion.ok ? ok({ head: null, assertion: assertion.value }) : assertion;
};

/**
 * Verifies the text of an Assertion that comes alone, of an EncryptedAssertion, or of a Response, whose shape has been checked. What is read
 * of one that comes alone is what its own signature covers; of what is around an encrypted one nothing is read but how to decrypt it.
 */
export const verifyAssertionText = (
  text: string,
  keys: readonly KeyObject[],
  decryptionKey: Secret | null,
): Result<VerifiedAssertion, DocumentRejection> => {
  const document = parseStrictly(text);
  if (!document.ok) return document;
  const { root } = document.value;
  if (isNamed(root, samlp, 'Response')) return verifyResponse(text, document.value, keys, decryptionKey);
  if (!isNamed(root, saml, 'EncryptedAssertion')) return verifyAlone(text, document.value, keys, decryptionKey);
  const decrypted = decryptAssertion(root, decryptionKey);
  return decrypted.ok ? verifyAlone(decrypted.value.text, decrypted.value, keys, decryptionKey) : decrypted;
};
