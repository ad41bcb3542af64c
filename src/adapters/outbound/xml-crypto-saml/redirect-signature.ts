import type { KeyObject } from 'node:crypto';
import type { RedirectMessage } from '../../../application/ports/agent/saml-document-verifier.js';
import { signatureAlgorithms } from '../../../domain/agent/saml/document/signature-algorithms.js';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import { isSignedByOneOf } from './signature-check.js';

/** The value of a parameter of a query; null: it is none. */
export const decodeParameter = (raw: string): string | null => {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    return null;
  }
};

/**
 * Why the signature of a message by HTTP-Redirect does not hold; null where it does. It covers the parameters as they stand in
 * the query, in this order, whatever theirs was there (SAML bindings, section 3.4.4.1).
 */
export const redirectSignatureFault = (
  parameter: 'SAMLRequest' | 'SAMLResponse',
  { message, relayState, signature }: RedirectMessage,
  keys: readonly KeyObject[],
): DocumentRejection | null => {
  if (signature === null) return 'unsigned';
  const algorithm = signatureAlgorithms.get(decodeParameter(signature.algorithm) ?? '');
  if (algorithm === undefined) return 'weak_algorithm';
  const value = decodeParameter(signature.value);
  const state = relayState === null ? '' : `&RelayState=${relayState}`;
  const signed = `${parameter}=${message}${state}&SigAlg=${signature.algorithm}`;
  return value !== null && isSignedByOneOf(keys, algorithm, signed, value) ? null : 'wrong_signature';
};
