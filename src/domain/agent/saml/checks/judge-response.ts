import type { Result } from '../../../shared/result.js';
import type { VerifiedResponse } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { type AcceptedAssertion, judgeAssertion } from './judge-assertion.js';
import type { ResponseExpectation } from './response-expectation.js';

/** Checks a response like `judgeAssertion`. A sign-on requires a response: an assertion alone is not accepted. */
export const judgeResponse = (
  response: VerifiedResponse,
  expectation: ResponseExpectation,
): Result<AcceptedAssertion, DocumentRejection> => judgeAssertion(response, expectation);
