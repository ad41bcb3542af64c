import type { AllowedExchange } from './exchange-policy.js';

/** Room for two tokens that are JWTs, a client assertion, and everything else in a request. */
const octetsWithJwts = 65_536;

/** An assertion of SAML comes with a signature, certificates and attributes of its own, in base64. */
const octetsWithAssertions = 1_048_576;

/** How large the form of a request may be that asks for one of these exchanges, in octets. */
export const exchangeFormOctets = (exchanges: readonly AllowedExchange[]): number =>
  exchanges.some(({ subjectKind }) => subjectKind === 'saml2') ? octetsWithAssertions : octetsWithJwts;
