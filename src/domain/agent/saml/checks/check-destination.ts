import type { ResponseCheck } from './response-check.js';

/** Requires the consumer endpoint as destination. A signed response must have one (SAML bindings, section 3.5.5.2). */
export const checkDestination: ResponseCheck = ({ head }, { acsUrl }) => {
  if (head === null) return null;
  if (head.destination === null) return head.isSigned ? 'wrong_destination' : null;
  return head.destination === acsUrl ? null : 'wrong_destination';
};
