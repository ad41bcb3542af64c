import type { ResponseCheck } from './response-check.js';

/** It was meant for our consumer endpoint. A signed response has to say so (SAML bindings, section 3.5.5.2). */
export const checkDestination: ResponseCheck = ({ head }, { acsUrl }) => {
  if (head === null) return null;
  if (head.destination === null) return head.isSigned ? 'wrong_destination' : null;
  return head.destination === acsUrl ? null : 'wrong_destination';
};
