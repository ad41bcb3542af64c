import type { ResponseCheck } from './response-check.js';

/**
 * It answers our request and no other. One that answers none is taken where that is allowed alone, and may not claim to
 * answer anything: it would be an answer to somebody else. What the confirmations say of it is looked at with them.
 */
export const checkInResponseTo: ResponseCheck = ({ head, assertion }, { requestId, allowIdpInitiated }) => {
  // An assertion alone is the answer to no request.
  if (requestId !== null) return head?.inResponseTo === requestId ? null : 'wrong_in_response_to';
  if (!allowIdpInitiated) return 'unsolicited';
  const claims =
    (head?.inResponseTo ?? null) !== null ||
    assertion.confirmations.some(({ data }) => (data?.inResponseTo ?? null) !== null);
  return claims ? 'wrong_in_response_to' : null;
};
