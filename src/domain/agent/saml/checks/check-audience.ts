import type { ResponseCheck } from './response-check.js';

/** Requires at least one audience restriction, all of which name this service provider (SAML core, section 2.5.1.4). */
export const checkAudience: ResponseCheck = ({ assertion: { conditions } }, { spEntityId }) => {
  const restrictions = conditions?.audienceRestrictions ?? [];
  const isForUs = restrictions.length > 0 && restrictions.every((audiences) => audiences.includes(spEntityId));
  return isForUs ? null : 'wrong_audience';
};
