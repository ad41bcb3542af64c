/**
 * What is remembered of a request that was sent to the identity provider, until its answer comes, and of one that has been answered.
 * Moments are wall milliseconds.
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
