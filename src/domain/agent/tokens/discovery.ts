import { isJsonObject, type JsonValue } from '../../shared/json.js';
import { err, ok, type Result } from '../../shared/result.js';

/** Where the keys of a provider are. */
export type KeySetLocation =
  | { readonly kind: 'url'; readonly url: string }
  /** The discovery document of this issuer names the URL. */
  | { readonly kind: 'issuer'; readonly issuer: string };

/** The URL of an issuer's discovery document (OpenID Connect Discovery 1.0, section 4). */
export const discoveryUrl = (issuer: string): string => `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;

/**
 * The key set URL of a discovery document (OpenID Connect Discovery 1.0, section 4.3). The document's issuer must match
 * exactly. Its algorithms are ignored: the configuration decides which are accepted.
 * @param isFetchable whether keys of an issuer may be fetched from a URL
 * @returns the error is one clause for the log, without any of the document
 */
export const readDiscovery = (
  document: JsonValue,
  issuer: string,
  isFetchable: (url: string, issuer: string) => boolean,
): Result<string, string> => {
  if (!isJsonObject(document)) return err('the discovery document is not a JSON object');
  if (document['issuer'] !== issuer) {
    return err('the discovery document is from another issuer: copy issuer from it, including a final slash');
  }
  const url = document['jwks_uri'];
  if (typeof url !== 'string') return err('the discovery document has no jwks_uri');
  return isFetchable(url, issuer) ? ok(url) : err('the jwks_uri of the discovery document is not an https URL');
};
