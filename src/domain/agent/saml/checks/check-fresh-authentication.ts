import { hasPassed } from './moments.js';
import type { ResponseCheck } from './response-check.js';

/** Requires a new authentication if the request asked for it (SAML core, section 3.4.1, ForceAuthn). */
export const checkFreshAuthentication: ResponseCheck = ({ assertion: { authentication } }, expectation) => {
  const { authenticatedSinceMs: sinceMs, clockSkewMs } = expectation;
  if (sinceMs === null) return null;
  const isStale = authentication.some(({ authnInstantMs }) =>
    hasPassed(authnInstantMs, { nowMs: sinceMs, clockSkewMs }),
  );
  return isStale ? 'authentication_not_fresh' : null;
};
