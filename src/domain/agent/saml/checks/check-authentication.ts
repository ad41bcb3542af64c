import { isAhead } from './moments.js';
import type { ResponseCheck } from './response-check.js';

/**
 * The user has signed on at the identity provider, and is still. The end of that session has no skew: ours ends with
 * it, and would be over before it began.
 */
export const checkAuthentication: ResponseCheck = ({ assertion: { authentication } }, expectation) => {
  if (authentication.length === 0) return 'no_authentication_statement';
  if (authentication.some(({ authnInstantMs }) => isAhead(authnInstantMs, expectation))) return 'issued_in_future';
  const isOver = authentication.some(
    ({ sessionNotOnOrAfterMs: endMs }) => endMs !== null && expectation.nowMs >= endMs,
  );
  return isOver ? 'session_over' : null;
};
