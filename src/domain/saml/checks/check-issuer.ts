import type { ResponseCheck } from './response-check.js';

/**
 * Who issued it is the configured identity provider (SAML profiles, section 4.1.4.2): the response where it says so,
 * the assertion always.
 */
export const checkIssuer: ResponseCheck = ({ head, assertion }, { idpEntityId }) => {
  if (head.issuer !== null && head.issuer !== idpEntityId) return 'wrong_issuer';
  return assertion.issuer === idpEntityId ? null : 'wrong_issuer';
};
