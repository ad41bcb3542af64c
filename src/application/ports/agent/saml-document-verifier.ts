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
 * `overloaded`: too many documents wait, or it has waited too long; `cancelled`: nobody waits for the outcome any more;
 * `verifier_failed`: it could not be judged, by no fault of the document.
 */
export type VerifierFailure = DocumentRejection | 'overloaded' | 'cancelled' | 'verifier_failed';

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

/** What is asked of metadata. */
export interface MetadataQuery {
  /** One of them has to have signed it, each DER in base64; empty: it need not be signed. */
  readonly certificates: readonly string[];
  /** Whose description is asked for; null: that of the only identity provider there. */
  readonly entityId: string | null;
  /** The moment at which it has to be valid, in wall milliseconds. */
  readonly nowMs: number;
}

/** Metadata that is in order, but of no use. */
export interface UnusableMetadata {
  /** What the metadata does or has, one clause, as in `names no certificate that signs`. */
  readonly unusable: string;
}

/**
 * Decodes, decrypts and verifies documents of identity providers, without holding the thread that calls. Everything that can be
 * said of a document without knowing who asks, when and why has been checked where it succeeds; what it says is not judged.
 * Never rejects; every wait has a deadline; so many documents at a time. What is cancelled is answered with `cancelled` at once: it waits no
 * longer, and of what is at work already nobody hears.
 */
export interface SamlDocumentVerifier {
  /** A Response by HTTP-POST, the value of `SAMLResponse`. */
  verifyResponse(
    encoded: string,
    keys: DocumentKeys,
    cancellation: Cancellation,
  ): Promise<Result<VerifiedResponse, VerifierFailure>>;
  /**
   * An Assertion alone, which has to be signed itself, an EncryptedAssertion with such a one in it, or a Response: base64url of the document,
   * padded or not, without white space (RFC 7522, section 2.1; RFC 8693, section 3).
   */
  verifyAssertion(
    encoded: string,
    keys: DocumentKeys,
    cancellation: Cancellation,
  ): Promise<Result<VerifiedAssertion, VerifierFailure>>;
  /** The signature is required. */
  verifyLogoutRequest(
    message: ReceivedMessage,
    keys: DocumentKeys,
    cancellation: Cancellation,
  ): Promise<Result<LogoutRequest, VerifierFailure>>;
  /** A signature that is there has to hold. */
  verifyLogoutResponse(
    message: ReceivedMessage,
    keys: DocumentKeys,
    cancellation: Cancellation,
  ): Promise<Result<LogoutResponse, VerifierFailure>>;
  /**
   * Loads and compiles what the first document would wait for. False where that failed: documents are verified all the same, and the
   * first one takes longer. Every call after the first gives the outcome of the first.
   */
  warmUp(): Promise<boolean>;
  /**
   * Metadata: reads it, and what is signed of it where certificates are given. Its certificates are not yet looked into. It never holds up the
   * other documents; what is cancelled ends.
   */
  verifyMetadata(
    text: string,
    query: MetadataQuery,
    cancellation: Cancellation,
  ): Promise<Result<DescribedIdentityProvider, VerifierFailure | UnusableMetadata>>;
}
