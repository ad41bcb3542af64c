import { hasPassed, isAhead } from './moments.js';
import type { ResponseCheck } from './response-check.js';

/** Requires conditions, without unknown ones, and checks their validity period (SAML core, section 2.5.1.2). */
export const checkConditions: ResponseCheck = ({ assertion: { conditions } }, expectation) => {
  if (conditions === null) return 'no_conditions';
  if (conditions.unknown) return 'unknown_condition';
  const { notBeforeMs, notOnOrAfterMs } = conditions;
  if (notBeforeMs !== null && notOnOrAfterMs !== null && notBeforeMs >= notOnOrAfterMs) return 'malformed_element';
  if (notBeforeMs !== null && isAhead(notBeforeMs, expectation)) return 'not_yet_valid';
  return notOnOrAfterMs !== null && hasPassed(notOnOrAfterMs, expectation) ? 'expired' : null;
};
