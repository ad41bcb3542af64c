import { cookieValues } from '../../http/cookies.js';
import { allHeaders, type HeaderList } from '../../http/header-list.js';
import { err, ok, type Result } from '../../shared/result.js';
import { type AuthorizationCredential, parseAuthorization } from './authorization-credential.js';
import { findPlacedToken, type PlacedToken, type TokenPlace } from './token-places.js';

/** The unverified credentials of a request. */
export interface RequestCredentials {
  readonly authorization: AuthorizationCredential | null;
  readonly apiKey: string | null;
  /** Null if no header has one, or no method reads it. */
  readonly certificate: CertificateCredential | null;
  /** All values of the session cookie, of the first name that the request has; empty if it has none. */
  readonly sessionCookies: readonly string[];
  /** The token in another header or in a cookie; absent if there is none, or if Authorization has a bearer token. */
  readonly placedToken?: PlacedToken;
}

/** A client certificate as encoded in a header. */
export interface CertificateCredential {
  readonly value: string;
  /** The value of Client-Cert-Chain (RFC 9440, section 2.3) with all its field lines; only beside Client-Cert. */
  readonly chain: string | null;
}

/** The headers with credentials, in lower case. */
export interface CredentialHeaders {
  /** Null: API keys are not read. */
  readonly apiKey: string | null;
  /** Null: client certificates are not read. */
  readonly certificate: string | null;
  /** The case-sensitive names of the session cookie; the first that a request has counts. Empty: sessions are not read. */
  readonly sessionCookieNames: readonly string[];
  /** Further places of access tokens, in the order of look-up; absent: none. */
  readonly tokenPlaces?: readonly TokenPlace[];
}

/** The same headers in lower case; the cookies keep their case. */
export const lowerCaseHeaders = ({
  apiKey,
  certificate,
  sessionCookieNames,
  tokenPlaces,
}: CredentialHeaders): CredentialHeaders => ({
  apiKey: apiKey?.toLowerCase() ?? null,
  certificate: certificate?.toLowerCase() ?? null,
  sessionCookieNames,
  ...(tokenPlaces !== undefined && { tokenPlaces }),
});

/** The certificate header that a chain header may accompany (RFC 9440, section 2.3). */
const clientCert = 'client-cert';
const clientCertChain = 'client-cert-chain';

/** A cache of parsed Authorization values. */
export interface AuthorizationCache {
  /** The parsed value; null if it must be parsed. */
  credential(authorization: string): AuthorizationCredential | null;
}

const isNamed = (name: string, lowerName: string): boolean =>
  name === lowerName || (name.length === lowerName.length && name.toLowerCase() === lowerName);

/**
 * Reads the credentials of a request. A repeated credential field fails the whole request, because this agent and the
 * upstream might choose different ones. The check of cookies handles repeated cookies. Only Client-Cert-Chain may have
 * several lines: it is a list (RFC 8941, section 4.2).
 */
export const requestCredentials = (
  headers: HeaderList,
  names: CredentialHeaders,
  known: AuthorizationCache | null = null,
): Result<RequestCredentials, 'ambiguous_credentials'> => {
  let authorization: string | null = null;
  let apiKey: string | null = null;
  let certificate: string | null = null;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    // Fields may share a name, so each is checked independently.
    if (isNamed(name, 'authorization')) {
      if (authorization !== null) return err('ambiguous_credentials');
      authorization = value;
    }
    if (names.apiKey !== null && isNamed(name, names.apiKey)) {
      if (apiKey !== null) return err('ambiguous_credentials');
      apiKey = value;
    }
    if (names.certificate !== null && isNamed(name, names.certificate)) {
      if (certificate !== null) return err('ambiguous_credentials');
      certificate = value;
    }
  }
  const credentials: RequestCredentials = {
    authorization:
      authorization === null ? null : (known?.credential(authorization) ?? parseAuthorization(authorization)),
    apiKey,
    certificate: certificate === null ? null : { value: certificate, chain: chainBeside(headers, names) },
    sessionCookies: sessionCookies(headers, names.sessionCookieNames),
  };
  return names.tokenPlaces === undefined
    ? ok(credentials)
    : withPlacedToken(credentials, findPlacedToken(headers, names.tokenPlaces));
};

/** Whether Authorization has an access token, valid or not. */
export const showsBearer = ({ authorization }: RequestCredentials): boolean => {
  if (authorization?.scheme === 'malformed') return authorization.of !== 'basic';
  return authorization?.scheme === 'bearer' || authorization?.scheme === 'dpop';
};

const withPlacedToken = (
  credentials: RequestCredentials,
  found: Result<PlacedToken | null, 'ambiguous_credentials'>,
): Result<RequestCredentials, 'ambiguous_credentials'> => {
  if (!found.ok) return found;
  return ok(
    found.value === null || showsBearer(credentials) ? credentials : { ...credentials, placedToken: found.value },
  );
};

const noCookies: readonly string[] = [];

/** All values of the first of the cookies that the request has. */
const sessionCookies = (headers: HeaderList, names: readonly string[]): readonly string[] => {
  for (const name of names) {
    const values = cookieValues(headers, name);
    if (values.length > 0) return values;
  }
  return noCookies;
};

const chainBeside = (headers: HeaderList, names: CredentialHeaders): string | null => {
  if (names.certificate !== clientCert) return null;
  const chain = allHeaders(headers, clientCertChain);
  return chain.length === 0 ? null : chain.join(', ');
};

/**
 * The authentication methods, as named in X-Auth-Method, in order of precedence. The first success decides; a failure
 * continues with the next.
 */
export const authenticationMethods = ['mtls', 'saml', 'oidc', 'jwt', 'api_key', 'basic'] as const;

export type AuthenticationMethod = (typeof authenticationMethods)[number];

/** Negative if `first` precedes `second`. */
export const comparePrecedence = (first: AuthenticationMethod, second: AuthenticationMethod): number =>
  authenticationMethods.indexOf(first) - authenticationMethods.indexOf(second);
