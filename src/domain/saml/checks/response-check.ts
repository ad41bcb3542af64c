import type { VerifiedResponse } from '../assertion.js';
import type { DocumentRejection } from '../document-rejection.js';
import type { ResponseExpectation } from './response-expectation.js';

/** One thing that a response has to fulfil; null where it does. */
export type ResponseCheck = (response: VerifiedResponse, expectation: ResponseExpectation) => DocumentRejection | null;
