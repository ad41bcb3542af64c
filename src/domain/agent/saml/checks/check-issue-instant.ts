import { issueInstantFault } from './moments.js';
import type { ResponseCheck } from './response-check.js';

/** Older ones are refused, however long they say that they hold: ids are remembered as long as that. */
export const maximumResponseAgeMs = 24 * 60 * 60_000;

/** It was made a short while ago, and not in the future. */
export const checkIssueInstant: ResponseCheck = ({ head, assertion }, expectation) =>
  issueInstantFault(assertion.issueInstantMs, maximumResponseAgeMs, expectation) ??
  (head === null ? null : issueInstantFault(head.issueInstantMs, maximumResponseAgeMs, expectation));
