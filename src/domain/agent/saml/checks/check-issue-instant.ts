import { issueInstantFault } from './moments.js';
import type { ResponseCheck } from './response-check.js';

/** Maximum age, whatever the validity period: replay keys are stored that long. */
export const maximumResponseAgeMs = 24 * 60 * 60_000;

/** Requires a recent issue instant that is not in the future. */
export const checkIssueInstant: ResponseCheck = ({ head, assertion }, expectation) =>
  issueInstantFault(assertion.issueInstantMs, maximumResponseAgeMs, expectation) ??
  (head === null ? null : issueInstantFault(head.issueInstantMs, maximumResponseAgeMs, expectation));
