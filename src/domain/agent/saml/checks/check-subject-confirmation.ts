import { err, ok, type Result } from '../../../shared/result.js';
import type { Assertion, SubjectConfirmation } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { hasPassed, isAhead } from './moments.js';
import type { ResponseCheck } from './response-check.js';
import type { ResponseExpectation } from './response-expectation.js';

const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/** Bearer confirmations (SAML profiles, section 3.3). */
export const bearerConfirmations = (confirmations: readonly SubjectConfirmation[]): readonly SubjectConfirmation[] =>
  confirmations.filter(({ method }) => method === bearer);

const confirmationFault = (
  { data }: SubjectConfirmation,
  expectation: ResponseExpectation,
): DocumentRejection | null => {
  if (data === null || data.notOnOrAfterMs === null) return 'no_subject_confirmation';
  if (data.recipient !== expectation.acsUrl) return 'wrong_recipient';
  if (data.inResponseTo !== expectation.requestId) return 'wrong_in_response_to';
  if (data.notBeforeMs !== null && isAhead(data.notBeforeMs, expectation)) return 'not_yet_valid';
  return hasPassed(data.notOnOrAfterMs, expectation) ? 'expired' : null;
};

/** The first acceptable bearer confirmation; the error is the fault of the first one. */
export const acceptedConfirmation = (
  { confirmations }: Pick<Assertion, 'confirmations'>,
  expectation: ResponseExpectation,
): Result<SubjectConfirmation, DocumentRejection> => {
  let first: DocumentRejection | null = null;
  for (const confirmation of bearerConfirmations(confirmations)) {
    const fault = confirmationFault(confirmation, expectation);
    if (fault === null) return ok(confirmation);
    first ??= fault;
  }
  return err(first ?? 'no_subject_confirmation');
};

/**
 * Requires an acceptable bearer confirmation: this recipient, this time, this request (SAML profiles, section 4.1.4.2).
 */
export const checkSubjectConfirmation: ResponseCheck = ({ assertion }, expectation) => {
  const confirmed = acceptedConfirmation(assertion, expectation);
  return confirmed.ok ? null : confirmed.error;
};
