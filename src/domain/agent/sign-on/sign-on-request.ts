import { returnTarget } from './return-target.js';

/** How long the identity provider has for its answer, the user's typing included. */
export const signOnRequestMs = 5 * 60_000;

/**
 * What is remembered of a request that goes out now. `returnTo` is what the browser asked for: it becomes a path of
 * this host.
 */
export const newSignOnRequest = (
  sent: Omit<SignOnRequest, 'createdMs' | 'expiresMs'>,
  nowMs: number,
): SignOnRequest => ({
  ...sent,
  returnTo: returnTarget(sent.returnTo),
  createdMs: nowMs,
  expiresMs: nowMs + signOnRequestMs,
});

/**
 * What is remembered of a request that was sent to the identity provider, until its answer comes, and of one that has
 * been answered. Moments are wall milliseconds.
 */
export interface SignOnRequest {
  /** SHA-256 of the handle that goes as RelayState, in lower-case hexadecimal. */
  readonly handleHash: string;
  readonly kind: 'sign_on' | 'sign_out' | 'answered';
  /** ID of the message that was sent: what InResponseTo has to be. */
  readonly requestId: string;
  /** SHA-256 of the secret in the cookie of the browser that began; null: it is bound to none. */
  readonly bindingHash: string | null;
  /** Path and query to go back to. */
  readonly returnTo: string;
  readonly createdMs: number;
  readonly expiresMs: number;
}
