import { isJsonObject, type JsonValue } from '../../shared/json.js';
import { err, ok, type Result } from '../../shared/result.js';

/** The endpoints of a provider, as far as they are known. */
export interface ConfiguredEndpoints {
  /** Null, here and below: not configured. */
  readonly authorizationUrl: string | null;
  readonly tokenUrl: string | null;
  readonly userinfoUrl: string | null;
  readonly endSessionUrl: string | null;
}

/** What a sign-on needs to know of a provider. */
export interface ProviderMetadata {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  /** Null: none. */
  readonly userinfoUrl: string | null;
  /** Where a user signs out at the provider; null: nowhere. */
  readonly endSessionUrl: string | null;
  /** Methods of client authentication at the token endpoint; null: not listed. */
  readonly clientMethods: readonly string[] | null;
  /** Whether every authorization response names the issuer (RFC 9207, section 3). */
  readonly sendsIss: boolean;
}

/** Maximum items that are read of a list. */
const maximumItems = 32;

const textsIn = (value: JsonValue | undefined): readonly string[] | null =>
  Array.isArray(value) ? value.slice(0, maximumItems).filter((item): item is string => typeof item === 'string') : null;

/**
 * The metadata without a discovery document; null: an endpoint is missing, so discovery is necessary.
 */
export const configuredMetadata = ({
  authorizationUrl,
  tokenUrl,
  userinfoUrl,
  endSessionUrl,
}: ConfiguredEndpoints): ProviderMetadata | null =>
  authorizationUrl === null || tokenUrl === null
    ? null
    : { authorizationUrl, tokenUrl, userinfoUrl, endSessionUrl, clientMethods: null, sendsIss: false };

/**
 * Reads a discovery document (OpenID Connect Discovery, section 3). Its issuer must match exactly. Configured endpoints
 * replace its own. Algorithms in it are ignored: the configuration decides which are accepted.
 * @param isAllowed whether an endpoint of the issuer may have this URL
 * @returns the error is one clause for the log, without any of the document
 */
export const readProviderMetadata = (
  document: JsonValue,
  issuer: string,
  configured: ConfiguredEndpoints,
  isAllowed: (url: string, issuer: string) => boolean,
): Result<ProviderMetadata, string> => {
  if (!isJsonObject(document)) return err('the discovery document is not a JSON object');
  if (document['issuer'] !== issuer) {
    return err('the discovery document is from another issuer: copy issuer from it, including a final slash');
  }
  const endpoint = (name: string, own: string | null): Result<string | null, string> => {
    if (own !== null) return ok(own);
    const url = document[name];
    if (url === undefined) return ok(null);
    return typeof url === 'string' && isAllowed(url, issuer)
      ? ok(url)
      : err(`the ${name} of the discovery document is not an https URL`);
  };
  const authorization = endpoint('authorization_endpoint', configured.authorizationUrl);
  if (!authorization.ok) return authorization;
  const token = endpoint('token_endpoint', configured.tokenUrl);
  if (!token.ok) return token;
  const userinfo = endpoint('userinfo_endpoint', configured.userinfoUrl);
  if (!userinfo.ok) return userinfo;
  const endSession = endpoint('end_session_endpoint', configured.endSessionUrl);
  if (!endSession.ok) return endSession;
  if (authorization.value === null) return err('the discovery document has no authorization_endpoint');
  if (token.value === null) return err('the discovery document has no token_endpoint');
  return ok({
    authorizationUrl: authorization.value,
    tokenUrl: token.value,
    userinfoUrl: userinfo.value,
    endSessionUrl: endSession.value,
    clientMethods: textsIn(document['token_endpoint_auth_methods_supported']),
    sendsIss: document['authorization_response_iss_parameter_supported'] === true,
  });
};
