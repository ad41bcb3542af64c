import type { KeyObject } from 'node:crypto';
import type { ReceivedMessage, RedirectMessage } from '../../../application/ports/agent/saml-document-verifier.js';
import { logoutStructureFault } from '../../../domain/agent/saml/document/message-structure.js';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import { childElements } from '../../../domain/agent/xml/element-access.js';
import type { XmlElement } from '../../../domain/agent/xml/xml-element.js';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-names.js';
import { decodeBase64 } from '../../../domain/shared/base64.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { decodePosted, inflateRedirected, logoutBounds } from './decode-document.js';
import { provenElement } from './proven-element.js';
import { decodeParameter, redirectSignatureFault } from './redirect-signature.js';
import { parseStrictly, type StrictDocument } from './strict-document.js';

/** Names of the messages of single logout. */
export type LogoutMessageName = 'LogoutRequest' | 'LogoutResponse';

/** A message whose signature holds, where it has one. */
export interface VerifiedMessage {
  readonly root: XmlElement;
  readonly isSigned: boolean;
}

const parsedMessage = (text: string, name: LogoutMessageName): Result<StrictDocument, DocumentRejection> => {
  const document = parseStrictly(text);
  if (!document.ok) return document;
  const fault = logoutStructureFault(document.value.root, name);
  return fault === null ? document : err(fault);
};

const verifyPosted = (
  encoded: string,
  name: LogoutMessageName,
  keys: readonly KeyObject[],
): Result<VerifiedMessage, DocumentRejection> => {
  const text = decodePosted(encoded, logoutBounds);
  if (!text.ok) return text;
  const document = parsedMessage(text.value, name);
  if (!document.ok) return document;
  const proven = provenElement(text.value, document.value.element, keys);
  if (!proven.ok) {
    return proven.error === 'unsigned' ? ok({ root: document.value.root, isSigned: false }) : proven;
  }
  const fault = logoutStructureFault(proven.value, name);
  return fault === null ? ok({ root: proven.value, isSigned: true }) : err(fault);
};

const decodeRedirected = (message: string): Result<string, DocumentRejection> => {
  if (message.length > logoutBounds.encoded) return err('document_too_large');
  const octets = decodeBase64(decodeParameter(message) ?? '=', 'standard');
  return octets === null ? err('document_encoding') : inflateRedirected(octets);
};

const verifyRedirected = (
  message: RedirectMessage,
  name: LogoutMessageName,
  keys: readonly KeyObject[],
): Result<VerifiedMessage, DocumentRejection> => {
  const isSigned = message.signature !== null;
  // Before anything is inflated: what is signed is the parameter as it came.
  const parameter = name === 'LogoutRequest' ? 'SAMLRequest' : 'SAMLResponse';
  const signatureFault = isSigned ? redirectSignatureFault(parameter, message, keys) : null;
  if (signatureFault !== null) return err(signatureFault);
  const text = decodeRedirected(message.message);
  if (!text.ok) return text;
  const document = parsedMessage(text.value, name);
  if (!document.ok) return document;
  const { root } = document.value;
  // By this binding no signature stands in the message (SAML bindings, section 3.4.4.1).
  if (childElements(root, xmlNamespaces.ds, 'Signature').length > 0) return err('misplaced_signature');
  return ok({ root, isSigned });
};

/** Verifies a message of single logout; whether it has to be signed is for the caller to say. */
export const verifyLogoutMessage = (
  message: ReceivedMessage,
  name: LogoutMessageName,
  keys: readonly KeyObject[],
): Result<VerifiedMessage, DocumentRejection> =>
  message.binding === 'post' ? verifyPosted(message.encoded, name, keys) : verifyRedirected(message, name, keys);
