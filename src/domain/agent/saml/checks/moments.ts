import type { DocumentRejection } from '../document-rejection.js';

/** The largest configurable tolerance. */
export const maximumClockSkewMs = 600_000;

/** The current time, and the tolerance for other clocks. */
export interface CheckInstant {
  readonly nowMs: number;
  readonly clockSkewMs: number;
}

/** Whether a moment is in the future for every clock within the tolerance. */
export const isAhead = (ms: number, { nowMs, clockSkewMs }: CheckInstant): boolean => ms - clockSkewMs > nowMs;

/** Whether a moment is in the past for every clock within the tolerance. */
export const hasPassed = (ms: number, { nowMs, clockSkewMs }: CheckInstant): boolean => nowMs >= ms + clockSkewMs;

/** Refuses an issue instant in the future, or at least `ageMs` ago. */
export const issueInstantFault = (issuedMs: number, ageMs: number, moment: CheckInstant): DocumentRejection | null => {
  if (isAhead(issuedMs, moment)) return 'issued_in_future';
  return hasPassed(issuedMs + ageMs, moment) ? 'issued_too_long_ago' : null;
};
