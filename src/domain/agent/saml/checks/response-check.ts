import type { VerifiedAssertion } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import type { ResponseExpectation } from './response-expectation.js';

/** One thing that an assertion, and the response around it where there is one, has to fulfil; null where it does. */
export type ResponseCheck = (verified: VerifiedAssertion, expectation: ResponseExpectation) => DocumentRejection | null;
