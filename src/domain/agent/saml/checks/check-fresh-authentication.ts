import { hasPassed } from './moments.js';
import type { ResponseCheck } from './response-check.js';

/** What a request requires of the time of the authentication. */
export interface FreshnessRequirement {
  readonly nowMs: number;
  /** When a request with ForceAuthn was sent; null: it has none. */
  readonly forcedMs: number | null;
  readonly maxAgeSecs: number | null;
}

/** The earliest authentication instant that meets the requirement, without tolerance; null: any. */
export const authenticatedSince = ({ nowMs, forcedMs, maxAgeSecs }: FreshnessRequirement): number | null => {
  if (maxAgeSecs === null) return forcedMs;
  return Math.max(forcedMs ?? Number.NEGATIVE_INFINITY, nowMs - maxAgeSecs * 1000);
};

/** Requires a new authentication if the request asked for it (SAML core, section 3.4.1, ForceAuthn). */
export const checkFreshAuthentication: ResponseCheck = ({ assertion: { authentication } }, expectation) => {
  const { authenticatedSinceMs: sinceMs, clockSkewMs } = expectation;
  if (sinceMs === null) return null;
  const isStale = authentication.some(({ authnInstantMs }) =>
    hasPassed(authnInstantMs, { nowMs: sinceMs, clockSkewMs }),
  );
  return isStale ? 'authentication_not_fresh' : null;
};
