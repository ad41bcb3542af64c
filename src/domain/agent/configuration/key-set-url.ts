import { type WebUrlFault, webUrlFault } from '../../configuration/schema/web-url.js';

/** What follows where keys are fetched by HTTP. */
export const keyRisk = 'whoever is on the way can put keys of their own in the place of the others';

/**
 * Checks where a key set is fetched from: an absolute URL (RFC 3986) of HTTPS; of HTTP with a warning, unless it
 * stays on this machine.
 */
export const keySetUrlFault = (url: string): WebUrlFault | null => webUrlFault(url, keyRisk);

/**
 * Whether keys may be fetched from a URL that the discovery document of an issuer names: HTTPS, or HTTP to this
 * machine for an issuer that lies there too. A document from elsewhere must not have this machine asked.
 */
export const isSafeKeySetUrl = (url: string, issuer: string): boolean =>
  keySetUrlFault(url) === null && (/^https:/i.test(url) || /^http:/i.test(issuer));
