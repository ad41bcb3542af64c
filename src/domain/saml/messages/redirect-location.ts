/** Signs messages that go by HTTP-Redirect. */
export interface RedirectSigner {
  /** URI. */
  readonly signatureAlgorithm: string;
  /** Signs the octets of the text; the signature in base64. */
  sign(text: string): string;
}

export interface RedirectToSend {
  /** URL of the service; a query that it has stays. */
  readonly location: string;
  readonly parameter: 'SAMLRequest' | 'SAMLResponse';
  /** The message, deflated and in base64. */
  readonly encoded: string;
  /** Null: none. */
  readonly relayState: string | null;
  /** Null: it is not signed. */
  readonly key: RedirectSigner | null;
}

/** What goes before our parameters: a fragment would take them, and is none of a service. */
const beforeParameters = (location: string): string => {
  const end = location.indexOf('#');
  const url = end < 0 ? location : location.slice(0, end);
  if (!url.includes('?')) return `${url}?`;
  return url.endsWith('?') || url.endsWith('&') ? url : `${url}&`;
};

/**
 * The URL that carries a message by HTTP-Redirect (SAML bindings, section 3.4.4). The signature is over the parameters
 * as they stand in it (section 3.4.4.1), those of the location itself left out.
 */
export const redirectLocation = ({ location, parameter, encoded, relayState, key }: RedirectToSend): string => {
  let query = `${parameter}=${encodeURIComponent(encoded)}`;
  if (relayState !== null) query += `&RelayState=${encodeURIComponent(relayState)}`;
  if (key !== null) {
    query += `&SigAlg=${encodeURIComponent(key.signatureAlgorithm)}`;
    query += `&Signature=${encodeURIComponent(key.sign(query))}`;
  }
  return beforeParameters(location) + query;
};
