import type { LogoutRequest, LogoutResponse } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { successStatus } from './check-status.js';
import { type CheckInstant, hasPassed, issueInstantFault, maximumClockSkewMs } from './moments.js';

/** The expected content of a LogoutRequest. */
export interface LogoutExpectation extends CheckInstant {
  readonly idpEntityId: string;
  readonly logoutUrl: string;
}

/** The expected content of a LogoutResponse. */
export interface LogoutResponseExpectation {
  readonly idpEntityId: string;
  readonly logoutUrl: string;
  /** ID of the LogoutRequest that it answers. */
  readonly requestId: string;
}

/** Maximum age of a LogoutRequest. */
export const maximumLogoutAgeMs = 5 * 60_000;

/** Checks a LogoutRequest after signature verification; null: valid unless it is a replay. */
export const validateLogoutRequest = (
  request: LogoutRequest,
  expectation: LogoutExpectation,
): DocumentRejection | null => {
  if (request.issuer !== expectation.idpEntityId) return 'wrong_issuer';
  // It is always signed, so it must name its destination (SAML bindings, sections 3.4.5.2 and 3.5.5.2).
  if (request.destination !== expectation.logoutUrl) return 'wrong_destination';
  const isExpired = request.notOnOrAfterMs !== null && hasPassed(request.notOnOrAfterMs, expectation);
  return issueInstantFault(request.issueInstantMs, maximumLogoutAgeMs, expectation) ?? (isExpired ? 'expired' : null);
};

/**
 * How long the ID of a LogoutRequest must be stored, as a moment: afterwards it is too old with any configurable
 * tolerance.
 */
export const logoutReplayUntilMs = ({ issueInstantMs }: LogoutRequest): number =>
  issueInstantMs + maximumLogoutAgeMs + maximumClockSkewMs;

/** Checks a LogoutResponse; null: the user is signed out at the identity provider. */
export const validateLogoutResponse = (
  response: LogoutResponse,
  { idpEntityId, logoutUrl, requestId }: LogoutResponseExpectation,
): DocumentRejection | null => {
  if (response.issuer !== idpEntityId) return 'wrong_issuer';
  const needsDestination = response.isSigned || response.destination !== null;
  if (needsDestination && response.destination !== logoutUrl) return 'wrong_destination';
  if (response.inResponseTo !== requestId) return 'wrong_in_response_to';
  return response.statusCodes[0] === successStatus ? null : 'failed_status';
};
