import type { AllowedOrigins } from '../../http/allowed-origins.js';
import { allowedReturn } from './return-target.js';

/** How long the identity provider has to answer, including the user's input; milliseconds. */
export const signOnRequestMs = 5 * 60_000;

/** The record of a new request. `returnTo` becomes `/` unless it is a path of this host or at one of the origins. */
export const newSignOnRequest = (
  sent: Omit<SignOnRequest, 'createdMs' | 'expiresMs'>,
  nowMs: number,
  origins: Pick<AllowedOrigins, 'has'>,
): SignOnRequest => ({
  ...sent,
  returnTo: allowedReturn(sent.returnTo, origins),
  createdMs: nowMs,
  expiresMs: nowMs + signOnRequestMs,
});

/** The record of a request to the identity provider, pending or answered. Times are wall milliseconds. */
export interface SignOnRequest {
  /** SHA-256 of the handle in RelayState, in lower-case hexadecimal. */
  readonly handleHash: string;
  readonly kind: 'sign_on' | 'sign_out' | 'answered';
  /** ID of the sent message, expected in InResponseTo. */
  readonly requestId: string;
  /** SHA-256 of the secret in the binding cookie; null: not bound to a browser. */
  readonly bindingHash: string | null;
  /** The page to return to: path and query of this host, or an https URL. */
  readonly returnTo: string;
  readonly createdMs: number;
  readonly expiresMs: number;
}
