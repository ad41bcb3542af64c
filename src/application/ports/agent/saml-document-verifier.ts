import type {
  LogoutRequest,
  LogoutResponse,
  VerifiedAssertion,
  VerifiedResponse,
} from '../../../domain/agent/saml/assertion.js';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import type { DescribedIdentityProvider } from '../../../domain/agent/saml/metadata/read-identity-provider.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import type { Cancellation } from '../shared/cancellation.js';

/**
 * `overloaded`: the queue is full, or the document waited too long. `cancelled`: the caller
 * cancelled. `verifier_failed`: an internal error, not the fault of the document.
 */
export type VerifierFailure = DocumentRejection | 'overloaded' | 'cancelled' | 'verifier_failed';

/** The keys that a document is verified and decrypted with. */
export interface DocumentKeys {
  /**
   * Certificates of the identity provider, each DER in base64. One of their keys must have signed.
   */
  readonly signingCertificates: readonly string[];
  /** The service provider's private key in PEM; null: encrypted documents cannot be read. */
  readonly decryptionKey: Secret | null;
}

/**
 * A message of the HTTP-Redirect binding: its query parameters, not decoded (SAML bindings, section
 * 3.4.4.1).
 */
export interface RedirectMessage {
  /** The value of SAMLRequest or SAMLResponse. */
  readonly message: string;
  readonly relayState: string | null;
  /** Null: unsigned. */
  readonly signature: { readonly algorithm: string; readonly value: string } | null;
}

/**
 * A received message: for HTTP-POST the form field (base64), for HTTP-Redirect the query
 * parameters.
 */
export type ReceivedMessage =
  | { readonly binding: 'post'; readonly encoded: string }
  | ({ readonly binding: 'redirect' } & RedirectMessage);

/** What to look for in metadata, and how to trust it. */
export interface MetadataQuery {
  /**
   * One of their keys must have signed the metadata, each DER in base64. Empty: no signature
   * required.
   */
  readonly certificates: readonly string[];
  /** The entity to find; null: the only identity provider of the document. */
  readonly entityId: string | null;
  /** The metadata must be valid at this moment, in wall milliseconds. */
  readonly nowMs: number;
}

/** Valid metadata that cannot be used. */
export interface UnusableMetadata {
  /** What is wrong with the metadata, one clause, as in `names no signing certificate`. */
  readonly unusable: string;
}

/**
 * Decodes, decrypts and verifies documents of identity providers, off the calling thread.
 * Success means that all checks passed that do not depend on the recipient, the time or the
 * session. The statements of the document are not judged.
 * Never rejects; every wait has a deadline; concurrency is limited. Cancelling ends a call with
 * `cancelled` at once.
 */
export interface SamlDocumentVerifier {
  /** Verifies a Response of the HTTP-POST binding; `encoded` is the value of `SAMLResponse`. */
  verifyResponse(
    encoded: string,
    keys: DocumentKeys,
    cancellation: Cancellation,
  ): Promise<Result<VerifiedResponse, VerifierFailure>>;
  /**
   * Verifies a signed Assertion, an EncryptedAssertion around one, or a Response. `encoded` is
   * base64url with or without padding, without white space (RFC 7522, section 2.1; RFC 8693,
   * section 3).
   */
  verifyAssertion(
    encoded: string,
    keys: DocumentKeys,
    cancellation: Cancellation,
  ): Promise<Result<VerifiedAssertion, VerifierFailure>>;
  /** Requires a signature. */
  verifyLogoutRequest(
    message: ReceivedMessage,
    keys: DocumentKeys,
    cancellation: Cancellation,
  ): Promise<Result<LogoutRequest, VerifierFailure>>;
  /** Verifies a signature if there is one. */
  verifyLogoutResponse(
    message: ReceivedMessage,
    keys: DocumentKeys,
    cancellation: Cancellation,
  ): Promise<Result<LogoutResponse, VerifierFailure>>;
  /**
   * Loads and compiles what the first document needs. False on failure: verification still works,
   * but the first document takes longer. Later calls return the result of the first.
   */
  warmUp(): Promise<boolean>;
  /**
   * Reads metadata, and only its signed part if certificates are given. Does not check the
   * certificates in it. Never delays other documents.
   */
  verifyMetadata(
    text: string,
    query: MetadataQuery,
    cancellation: Cancellation,
  ): Promise<Result<DescribedIdentityProvider, VerifierFailure | UnusableMetadata>>;
}
