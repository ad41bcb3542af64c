import type { VerifierFailure } from '../../../ports/agent/saml-document-verifier.js';

/**
 * Why a sign-on or a logout message is refused. Stable: logs and metric labels contain these values. The client sees
 * none of them.
 */
export type SignOnRefusal =
  | VerifierFailure
  /** The form or query lacks required fields, or repeats one. */
  | 'malformed_form'
  | 'form_too_large'
  | 'form_timeout'
  /** No pending request has this RelayState: unknown, already answered, or expired. */
  | 'unknown_request'
  /** The browser did not begin this sign-on: it lacks the binding cookie. */
  | 'other_browser'
  /** The metadata of the identity provider is missing or no longer valid. */
  | 'provider_unavailable'
  | 'store_unavailable';
