import type { ResponseCheck } from './response-check.js';

/** SAML core, section 3.2.2.2. */
export const successStatus = 'urn:oasis:names:tc:SAML:2.0:status:Success';

/** Requires the status Success. An assertion alone has no status. */
export const checkStatus: ResponseCheck = ({ head }) =>
  head === null || head.statusCodes[0] === successStatus ? null : 'failed_status';
