import { returnTarget } from './return-target.js';
import type { SignOnRequest } from './sign-on-request.js';

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
