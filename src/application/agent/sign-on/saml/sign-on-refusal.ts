import type { VerifierFailure } from '../../../ports/agent/saml-document-verifier.js';

/**
 * Why a sign-on, or a message about signing out, is refused. Stable: the reasons are in logs and metric labels. The
 * client is told none of them by name.
 */
export type SignOnRefusal =
  | VerifierFailure
  /** What was sent is no form, or no query, with the fields that the endpoint needs, each once. */
  | 'malformed_form'
  | 'form_too_large'
  | 'form_timeout'
  /** No request of ours, or one that has been answered already, or is over, goes by the RelayState. */
  | 'unknown_request'
  /** The browser is not the one that began: it does not show the cookie that the other one was given. */
  | 'other_browser'
  /** Nothing is known of the identity provider yet, or no more. */
  | 'provider_unavailable'
  | 'store_unavailable';
