import { isAhead } from './moments.js';
import type { ResponseCheck } from './response-check.js';

/**
 * Requires an authentication statement whose session has not ended. The session end has no clock tolerance: the session
 * here ends with it, and would be over before it began.
 */
export const checkAuthentication: ResponseCheck = ({ assertion: { authentication } }, expectation) => {
  if (authentication.length === 0) return 'no_authentication_statement';
  if (authentication.some(({ authnInstantMs }) => isAhead(authnInstantMs, expectation))) return 'issued_in_future';
  const isOver = authentication.some(
    ({ sessionNotOnOrAfterMs: endMs }) => endMs !== null && expectation.nowMs >= endMs,
  );
  return isOver ? 'session_over' : null;
};
