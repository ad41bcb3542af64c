import type { Result } from '../../../shared/result.js';
import type { VerifiedResponse } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import type { ResponseExpectation } from './response-expectation.js';
import { type AcceptedAssertion, validateAssertion } from './validate-assertion.js';

/** Checks a response like `validateAssertion`. A sign-on requires a response: an assertion alone is not accepted. */
export const validateResponse = (
  response: VerifiedResponse,
  expectation: ResponseExpectation,
): Result<AcceptedAssertion, DocumentRejection> => validateAssertion(response, expectation);
