import type { ResponseCheck } from './response-check.js';

/**
 * Requires an answer to this request. An unsolicited response must be allowed, and must not name a request: it would be
 * the answer for someone else. The subject confirmations have their own check.
 */
export const checkInResponseTo: ResponseCheck = ({ head, assertion }, { requestId, allowIdpInitiated }) => {
  // An assertion alone answers no request.
  if (requestId !== null) return head?.inResponseTo === requestId ? null : 'wrong_in_response_to';
  if (!allowIdpInitiated) return 'unsolicited';
  const claims =
    (head?.inResponseTo ?? null) !== null ||
    assertion.confirmations.some(({ data }) => (data?.inResponseTo ?? null) !== null);
  return claims ? 'wrong_in_response_to' : null;
};
