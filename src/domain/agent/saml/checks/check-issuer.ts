import type { ResponseCheck } from './response-check.js';

/**
 * Who issued it is the configured identity provider (SAML profiles, section 4.1.4.2): the response where it says so,
 * the assertion always.
 */
export const checkIssuer: ResponseCheck = ({ head, assertion }, { idpEntityId }) => {
  const named = head?.issuer ?? null;
  if (named !== null && named !== idpEntityId) return 'wrong_issuer';
  return assertion.issuer === idpEntityId ? null : 'wrong_issuer';
};
