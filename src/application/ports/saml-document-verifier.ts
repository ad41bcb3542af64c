import type { VerifiedResponse } from '../../domain/saml/assertion.js';
import type { DocumentRejection } from '../../domain/saml/document-rejection.js';
import type { LogoutRequest, LogoutResponse } from '../../domain/saml/logout-message.js';
import type { Result } from '../../domain/shared/result.js';
import type { Secret } from '../../domain/shared/secret.js';

/** `overloaded`: too many documents wait; `verifier_failed`: it could not be judged, by no fault of the document. */
export type VerifierFailure = DocumentRejection | 'overloaded' | 'verifier_failed';

/** What documents are verified with. */
export interface DocumentKeys {
  /** Certificates of the identity provider, each DER in base64. One of their keys has to have signed. */
  readonly signingCertificates: readonly string[];
  /** Our private key in PEM, for what is encrypted for us; null: nothing can be. */
  readonly decryptionKey: Secret | null;
}

/** A message that came by HTTP-Redirect: its parameters as they stand in the query, undecoded (SAML bindings, section 3.4.4.1). */
export interface RedirectMessage {
  /** The value of SAMLRequest or SAMLResponse. */
  readonly message: string;
  readonly relayState: string | null;
  /** Null: it is not signed. */
  readonly signature: { readonly algorithm: string; readonly value: string } | null;
}

/** The document as it came: by HTTP-POST the value of the form field (base64), or by HTTP-Redirect. */
export type ReceivedMessage =
  | { readonly binding: 'post'; readonly encoded: string }
  | ({ readonly binding: 'redirect' } & RedirectMessage);

/**
 * Decodes, decrypts and verifies documents of identity providers, without holding the thread that calls. Everything that can be
 * said of a document without knowing who asks, when and why has been checked where it succeeds; what it says is not judged.
 * Never rejects; every wait has a deadline; so many documents at a time.
 */
export interface SamlDocumentVerifier {
  /** A Response by HTTP-POST, the value of `SAMLResponse`. */
  verifyResponse(encoded: string, keys: DocumentKeys): Promise<Result<VerifiedResponse, VerifierFailure>>;
  /** The signature is required. */
  verifyLogoutRequest(message: ReceivedMessage, keys: DocumentKeys): Promise<Result<LogoutRequest, VerifierFailure>>;
  /** A signature that is there has to hold. */
  verifyLogoutResponse(message: ReceivedMessage, keys: DocumentKeys): Promise<Result<LogoutResponse, VerifierFailure>>;
  /**
   * Metadata: gives back the octets that are signed, canonical, by one of the certificates (DER in base64), as text; with no certificates, the text
   * as it came, which has been found well-formed and without a DTD.
   */
  verifyMetadata(text: string, certificates: readonly string[]): Promise<Result<string, VerifierFailure>>;
}
