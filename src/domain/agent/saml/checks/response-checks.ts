import { checkAudience } from './check-audience.js';
import { checkAuthentication } from './check-authentication.js';
import { checkAuthenticationContext } from './check-authentication-context.js';
import { checkConditions } from './check-conditions.js';
import { checkDestination } from './check-destination.js';
import { checkFreshAuthentication } from './check-fresh-authentication.js';
import { checkInResponseTo } from './check-in-response-to.js';
import { checkIssueInstant } from './check-issue-instant.js';
import { checkIssuer } from './check-issuer.js';
import { checkNameId } from './check-name-id.js';
import { checkStatus } from './check-status.js';
import { checkSubjectConfirmation } from './check-subject-confirmation.js';
import type { ResponseCheck } from './response-check.js';

/**
 * The requirements for a verified assertion and the response around it, if any, in order. The user id, which is
 * derived, comes last.
 */
export const responseChecks: readonly ResponseCheck[] = [
  checkIssuer,
  checkDestination,
  checkInResponseTo,
  checkStatus,
  checkIssueInstant,
  checkConditions,
  checkAudience,
  checkSubjectConfirmation,
  checkAuthentication,
  checkFreshAuthentication,
  checkAuthenticationContext,
  checkNameId,
];
