import type { KeyObject } from 'node:crypto';
import type {
  DocumentKeys,
  MetadataQuery,
  ReceivedMessage,
  RedirectMessage,
  SamlDocumentVerifier,
  UnusableMetadata,
  VerifierFailure,
} from '../../../application/ports/agent/saml-document-verifier.js';
import type {
  LogoutRequest,
  LogoutResponse,
  VerifiedAssertion,
  VerifiedResponse,
} from '../../../domain/agent/saml/assertion.js';
import {
  assertionStructureFault,
  logoutStructureFault,
} from '../../../domain/agent/saml/document/message-structure.js';
import { readAssertion } from '../../../domain/agent/saml/document/read-assertion.js';
import { readLogoutRequest, readLogoutResponse } from '../../../domain/agent/saml/document/read-logout-message.js';
import { withDecryptedId, withDecryptedSubject } from '../../../domain/agent/saml/document/read-name-id.js';
import { signatureAlgorithms } from '../../../domain/agent/saml/document/signed-info-shape.js';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import {
  type DescribedIdentityProvider,
  readIdentityProvider,
} from '../../../domain/agent/saml/metadata/read-identity-provider.js';
import { metadataShapeFault } from '../../../domain/agent/xml/document-shape.js';
import { childElements, isNamed, type XmlElement } from '../../../domain/agent/xml/element-access.js';
import { xmlNamespaces } from '../../../domain/agent/xml/xml-name.js';
import { decodeBase64 } from '../../../domain/shared/base64.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import { decodePosted, decodeToken, inflateRedirected, logoutBounds, responseBounds } from './decode-document.js';
import { decryptAssertion, decryptId } from './decrypt-element.js';
import { provenElement } from './proven-element.js';
import { isSignedByOneOf, signingKeys } from './signing-keys.js';
import { parseStrictly, type StrictDocument } from './strict-document.js';
import { verifyResponse, verifyResponseText } from './verify-response.js';
import { warmUpVerification } from './warm-up.js';

/** Decodes a query parameter; null if malformed. */
const decodeParameter = (raw: string): string | null => {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    return null;
  }
};

/**
 * The fault of an HTTP-Redirect signature; null if it is valid. The signature covers the raw
 * parameters in this fixed order, whatever their order in the query (SAML bindings, section
 * 3.4.4.1).
 */
const redirectSignatureFault = (
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

/** Names of the messages of single logout. */
type LogoutMessageName = 'LogoutRequest' | 'LogoutResponse';

/** A message that is unsigned or has a valid signature. */
interface VerifiedMessage {
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
  // Verified before inflation: the signature covers the raw parameter.
  const parameter = name === 'LogoutRequest' ? 'SAMLRequest' : 'SAMLResponse';
  const signatureFault = isSigned ? redirectSignatureFault(parameter, message, keys) : null;
  if (signatureFault !== null) return err(signatureFault);
  const text = decodeRedirected(message.message);
  if (!text.ok) return text;
  const document = parsedMessage(text.value, name);
  if (!document.ok) return document;
  const { root } = document.value;
  // This binding allows no signature inside the message (SAML bindings, section 3.4.4.1).
  if (childElements(root, xmlNamespaces.ds, 'Signature').length > 0) return err('misplaced_signature');
  return ok({ root, isSigned });
};

/** Verifies a logout message. The caller decides whether it must be signed. */
const verifyLogoutMessage = (
  message: ReceivedMessage,
  name: LogoutMessageName,
  keys: readonly KeyObject[],
): Result<VerifiedMessage, DocumentRejection> =>
  message.binding === 'post' ? verifyPosted(message.encoded, name, keys) : verifyRedirected(message, name, keys);

const { saml, samlp } = xmlNamespaces;

/** Verifies a standalone assertion, which must have its own valid signature. */
const verifyStandalone = (
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
 * Verifies a standalone Assertion, an EncryptedAssertion or a Response. Reads only signed content
 * of a standalone assertion. Around an encrypted one, reads only how to decrypt it.
 */
const verifyAssertionText = (
  text: string,
  keys: readonly KeyObject[],
  decryptionKey: Secret | null,
): Result<VerifiedAssertion, DocumentRejection> => {
  const document = parseStrictly(text);
  if (!document.ok) return document;
  const { root } = document.value;
  if (isNamed(root, samlp, 'Response')) return verifyResponse(text, document.value, keys, decryptionKey);
  if (!isNamed(root, saml, 'EncryptedAssertion')) return verifyStandalone(text, document.value, keys, decryptionKey);
  const decrypted = decryptAssertion(root, decryptionKey);
  return decrypted.ok ? verifyStandalone(decrypted.value.text, decrypted.value, keys, decryptionKey) : decrypted;
};

/**
 * The trusted metadata: its signed content, or the whole document if no keys are configured (null).
 */
const trustedMetadata = (text: string, keys: readonly KeyObject[] | null): Result<XmlElement, DocumentRejection> => {
  const fault = metadataShapeFault(text);
  if (fault !== null) return err(fault);
  const document = parseStrictly(text);
  if (!document.ok) return document;
  return keys === null ? ok(document.value.root) : provenElement(text, document.value.element, keys);
};

/** Reads an identity provider from metadata, signed by one of the keys unless they are null. */
const verifyMetadataText = (
  text: string,
  keys: readonly KeyObject[] | null,
  { entityId, nowMs }: Pick<MetadataQuery, 'entityId' | 'nowMs'>,
): Result<DescribedIdentityProvider, VerifierFailure | UnusableMetadata> => {
  const root = trustedMetadata(text, keys);
  if (!root.ok) return root;
  const described = readIdentityProvider(root.value, entityId, nowMs);
  return described.ok ? described : err({ unusable: described.error });
};

type Verified<Value> = Result<Value, VerifierFailure>;
type ReadMetadata = Result<DescribedIdentityProvider, VerifierFailure | UnusableMetadata>;

/**
 * Runs the work with the accepted keys. Without any, fails with `verifier_failed`, which does not
 * blame the document.
 */
const withKeys = <Value, Failure>(
  certificates: readonly string[],
  work: (keys: readonly KeyObject[]) => Result<Value, Failure>,
): Result<Value, Failure | 'verifier_failed'> => {
  try {
    const keys = signingKeys(certificates);
    return keys.length === 0 ? err('verifier_failed') : work(keys);
  } catch {
    // Omits details, which may quote the document.
    return err('verifier_failed');
  }
};

/**
 * Verifies documents on the calling thread, for the thread of WorkerDocumentVerifier and for tests.
 */
export class XmlCryptoDocumentVerifier implements SamlDocumentVerifier {
  async verifyResponse(encoded: string, keys: DocumentKeys): Promise<Verified<VerifiedResponse>> {
    return withKeys(keys.signingCertificates, (signing) => {
      const text = decodePosted(encoded, responseBounds);
      return text.ok ? verifyResponseText(text.value, signing, keys.decryptionKey) : text;
    });
  }

  async verifyAssertion(encoded: string, keys: DocumentKeys): Promise<Verified<VerifiedAssertion>> {
    return withKeys(keys.signingCertificates, (signing) => {
      const text = decodeToken(encoded);
      return text.ok ? verifyAssertionText(text.value, signing, keys.decryptionKey) : text;
    });
  }

  async verifyLogoutRequest(message: ReceivedMessage, keys: DocumentKeys): Promise<Verified<LogoutRequest>> {
    return withKeys(keys.signingCertificates, (signing) => {
      const verified = verifyLogoutMessage(message, 'LogoutRequest', signing);
      if (!verified.ok) return verified;
      if (!verified.value.isSigned) return err('unsigned');
      const named = withDecryptedId(verified.value.root, decryptId(keys.decryptionKey));
      return named.ok ? readLogoutRequest(named.value) : named;
    });
  }

  async verifyLogoutResponse(message: ReceivedMessage, keys: DocumentKeys): Promise<Verified<LogoutResponse>> {
    return withKeys(keys.signingCertificates, (signing) => {
      const verified = verifyLogoutMessage(message, 'LogoutResponse', signing);
      return verified.ok ? readLogoutResponse(verified.value.root, verified.value.isSigned) : verified;
    });
  }

  async warmUp(): Promise<boolean> {
    return warmUpVerification();
  }

  async verifyMetadata(text: string, query: MetadataQuery): Promise<ReadMetadata> {
    return query.certificates.length === 0
      ? verifyMetadataText(text, null, query)
      : withKeys(query.certificates, (keys) => verifyMetadataText(text, keys, query));
  }
}
