import type { ResponseCheck } from './response-check.js';

/**
 * Requires the configured identity provider as issuer (SAML profiles, section 4.1.4.2): of the assertion always, of the
 * response if it names one.
 */
export const checkIssuer: ResponseCheck = ({ head, assertion }, { idpEntityId }) => {
  const named = head?.issuer ?? null;
  if (named !== null && named !== idpEntityId) return 'wrong_issuer';
  return assertion.issuer === idpEntityId ? null : 'wrong_issuer';
};
