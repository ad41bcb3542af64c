/** The parameters of an HTTP-Redirect message. */
export interface RedirectQuery {
  readonly parameter: 'SAMLRequest' | 'SAMLResponse';
  /** The deflated message in base64. */
  readonly encoded: string;
  /** Null: none. */
  readonly relayState: string | null;
  /** URI; null: unsigned. */
  readonly signatureAlgorithm: string | null;
}

/** The parameters of the URL without the signature, which is computed over them (SAML bindings, section 3.4.4.1). */
export const redirectQuery = ({ parameter, encoded, relayState, signatureAlgorithm }: RedirectQuery): string => {
  let query = `${parameter}=${encodeURIComponent(encoded)}`;
  if (relayState !== null) query += `&RelayState=${encodeURIComponent(relayState)}`;
  if (signatureAlgorithm !== null) query += `&SigAlg=${encodeURIComponent(signatureAlgorithm)}`;
  return query;
};

/** The URL before the parameters, without a fragment, which would swallow them. */
const beforeParameters = (location: string): string => {
  const end = location.indexOf('#');
  const url = end < 0 ? location : location.slice(0, end);
  if (!url.includes('?')) return `${url}?`;
  return url.endsWith('?') || url.endsWith('&') ? url : `${url}&`;
};

/**
 * The URL of an HTTP-Redirect message (SAML bindings, section 3.4.4).
 * @param location URL of the service; keeps its own query, which is not signed
 * @param query the result of `redirectQuery`
 * @param signature signature of the query in base64; null: unsigned
 */
export const redirectLocation = (location: string, query: string, signature: string | null): string => {
  const unsigned = beforeParameters(location) + query;
  return signature === null ? unsigned : `${unsigned}&Signature=${encodeURIComponent(signature)}`;
};
