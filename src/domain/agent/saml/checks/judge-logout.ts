import type { LogoutRequest, LogoutResponse } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { successStatus } from './check-status.js';
import { type CheckInstant, hasPassed, issueInstantFault, maximumClockSkewMs } from './moments.js';

/** What a LogoutRequest has to be. */
export interface LogoutExpectation extends CheckInstant {
  readonly idpEntityId: string;
  readonly logoutUrl: string;
}

/** What a LogoutResponse has to be. */
export interface LogoutResponseExpectation {
  readonly idpEntityId: string;
  readonly logoutUrl: string;
  /** ID of the LogoutRequest that it answers. */
  readonly requestId: string;
}

/** Between a LogoutRequest and its coming here, at most. */
export const maximumLogoutAgeMs = 5 * 60_000;

/**
 * Judges what a LogoutRequest says, once its signature has been verified; null: it is to be followed, if it comes for
 * the first time.
 */
export const judgeLogoutRequest = (
  request: LogoutRequest,
  expectation: LogoutExpectation,
): DocumentRejection | null => {
  if (request.issuer !== expectation.idpEntityId) return 'wrong_issuer';
  // It is always signed, and what is signed has to say whom it is for (SAML bindings, sections 3.4.5.2 and 3.5.5.2).
  if (request.destination !== expectation.logoutUrl) return 'wrong_destination';
  const isExpired = request.notOnOrAfterMs !== null && hasPassed(request.notOnOrAfterMs, expectation);
  return issueInstantFault(request.issueInstantMs, maximumLogoutAgeMs, expectation) ?? (isExpired ? 'expired' : null);
};

/**
 * Until then the ID of a LogoutRequest has to be remembered: later it is too old, whatever skew a later configuration
 * allows.
 */
export const logoutReplayUntilMs = ({ issueInstantMs }: LogoutRequest): number =>
  issueInstantMs + maximumLogoutAgeMs + maximumClockSkewMs;

/** Judges what a LogoutResponse says; null: the user is signed out at the identity provider. */
export const judgeLogoutResponse = (
  response: LogoutResponse,
  { idpEntityId, logoutUrl, requestId }: LogoutResponseExpectation,
): DocumentRejection | null => {
  if (response.issuer !== idpEntityId) return 'wrong_issuer';
  const needsDestination = response.isSigned || response.destination !== null;
  if (needsDestination && response.destination !== logoutUrl) return 'wrong_destination';
  if (response.inResponseTo !== requestId) return 'wrong_in_response_to';
  return response.statusCodes[0] === successStatus ? null : 'failed_status';
};
