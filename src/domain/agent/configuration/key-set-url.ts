import { type WebUrlFault, webUrlFault } from '../../configuration/schema/web-url.js';

/** The risk of fetching keys over HTTP. */
export const keyRisk = 'an attacker on the network can replace the keys';

/** Checks the URL of a key set: an absolute HTTPS URL (RFC 3986), or HTTP with a warning, unless the host is local. */
export const keySetUrlFault = (url: string): WebUrlFault | null => webUrlFault(url, keyRisk);

/**
 * Whether a discovery document may name this URL: HTTPS, or local HTTP for a local issuer. A remote document must not
 * trigger requests to this machine.
 */
export const isSafeKeySetUrl = (url: string, issuer: string): boolean =>
  keySetUrlFault(url) === null && (/^https:/i.test(url) || /^http:/i.test(issuer));
