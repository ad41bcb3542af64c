import type { Result } from '../../../shared/result.js';
import type { VerifiedResponse } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import { type AcceptedAssertion, judgeAssertion } from './judge-assertion.js';
import type { ResponseExpectation } from './response-expectation.js';

/**
 * Judges what a response says, as `judgeAssertion` does. A sign-on ends with a response: no assertion alone gets in
 * here.
 */
export const judgeResponse = (
  response: VerifiedResponse,
  expectation: ResponseExpectation,
): Result<AcceptedAssertion, DocumentRejection> => judgeAssertion(response, expectation);
