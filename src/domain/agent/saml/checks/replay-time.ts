import type { Assertion } from '../assertion.js';
import { maximumResponseAgeMs } from './check-issue-instant.js';
import { bearerConfirmations } from './check-subject-confirmation.js';
import { maximumClockSkewMs } from './moments.js';

/**
 * From this moment on no check accepts the assertion any more, whatever skew a later configuration allows: until then
 * its id has to be remembered.
 */
export const replayUntilMs = ({ issueInstantMs, conditions, confirmations }: Assertion): number => {
  const confirmedUntil = bearerConfirmations(confirmations).map(({ data }) => data?.notOnOrAfterMs ?? 0);
  const latest = Math.min(
    issueInstantMs + maximumResponseAgeMs,
    conditions?.notOnOrAfterMs ?? Number.POSITIVE_INFINITY,
    confirmedUntil.reduce((later, ms) => Math.max(later, ms), 0),
  );
  return latest + maximumClockSkewMs;
};
