import type { VerifiedAssertion } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import type { ResponseExpectation } from './response-expectation.js';

/** A requirement for an assertion and the response around it, if any; null: fulfilled. */
export type ResponseCheck = (verified: VerifiedAssertion, expectation: ResponseExpectation) => DocumentRejection | null;
