/** What a message that goes by HTTP-Redirect brings along. */
export interface RedirectQuery {
  readonly parameter: 'SAMLRequest' | 'SAMLResponse';
  /** The message, deflated and in base64. */
  readonly encoded: string;
  /** Null: none. */
  readonly relayState: string | null;
  /** URI; null: it is not signed. */
  readonly signatureAlgorithm: string | null;
}

/**
 * The parameters as they stand in the URL, but for the signature, which is over them (SAML bindings, section 3.4.4.1).
 */
export const redirectQuery = ({ parameter, encoded, relayState, signatureAlgorithm }: RedirectQuery): string => {
  let query = `${parameter}=${encodeURIComponent(encoded)}`;
  if (relayState !== null) query += `&RelayState=${encodeURIComponent(relayState)}`;
  if (signatureAlgorithm !== null) query += `&SigAlg=${encodeURIComponent(signatureAlgorithm)}`;
  return query;
};

/** What goes before our parameters: a fragment would take them, and is none of a service. */
const beforeParameters = (location: string): string => {
  const end = location.indexOf('#');
  const url = end < 0 ? location : location.slice(0, end);
  if (!url.includes('?')) return `${url}?`;
  return url.endsWith('?') || url.endsWith('&') ? url : `${url}&`;
};

/**
 * The URL that carries a message by HTTP-Redirect (SAML bindings, section 3.4.4).
 *
 * @param location URL of the service; a query that it has stays, and is not signed
 * @param query as `redirectQuery` has made it
 * @param signature of the query, in base64; null: it is not signed
 */
export const redirectLocation = (location: string, query: string, signature: string | null): string => {
  const unsigned = beforeParameters(location) + query;
  return signature === null ? unsigned : `${unsigned}&Signature=${encodeURIComponent(signature)}`;
};
