import type { DocumentRejection } from '../document-rejection.js';

/** The largest skew that a configuration may allow. */
export const maximumClockSkewMs = 600_000;

/** Our clock, and how far another one may be from it. */
export interface CheckInstant {
  readonly nowMs: number;
  readonly clockSkewMs: number;
}

/** Whether a moment has not come yet, by any clock that is right enough. */
export const isAhead = (ms: number, { nowMs, clockSkewMs }: CheckInstant): boolean => ms - clockSkewMs > nowMs;

/** Whether a moment has come, by every clock that is right enough. */
export const hasPassed = (ms: number, { nowMs, clockSkewMs }: CheckInstant): boolean => nowMs >= ms + clockSkewMs;

/** Refuses what was issued in the future, or `ageMs` ago and longer. */
export const issueInstantFault = (issuedMs: number, ageMs: number, moment: CheckInstant): DocumentRejection | null => {
  if (isAhead(issuedMs, moment)) return 'issued_in_future';
  return hasPassed(issuedMs + ageMs, moment) ? 'issued_too_long_ago' : null;
};
