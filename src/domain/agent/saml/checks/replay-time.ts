import type { Assertion } from '../assertion.js';
import { maximumResponseAgeMs } from './check-issue-instant.js';
import { bearerConfirmations } from './check-subject-confirmation.js';
import { maximumClockSkewMs } from './moments.js';

/**
 * How long the id of an assertion must be stored, as a moment: afterwards every check refuses it with any configurable
 * tolerance.
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
