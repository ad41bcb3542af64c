import { cookieValues } from '../../http/cookies.js';
import { allHeaders, type HeaderList } from '../../http/header-list.js';
import { err, ok, type Result } from '../../shared/result.js';
import { type AuthorizationCredential, parseAuthorization } from './authorization-credential.js';

/** The credentials that a request shows, whether or not they are any good. */
export interface RequestCredentials {
  readonly authorization: AuthorizationCredential | null;
  readonly apiKey: string | null;
  /** Null where no header carries one, or no method reads it. */
  readonly certificate: CertificateCredential | null;
  /** Every value of the session cookie; empty where there is none, or no method reads it. */
  readonly sessionCookies: readonly string[];
}

/** A client certificate as a header carries it, not yet decoded. */
export interface CertificateCredential {
  readonly value: string;
  /** The value of Client-Cert-Chain (RFC 9440, section 2.3), all its field lines, beside Client-Cert alone. */
  readonly chain: string | null;
}

/** Where credentials are looked for; names of headers in lower case. */
export interface CredentialHeaders {
  /** Null: API keys are not read. */
  readonly apiKey: string | null;
  /** Null: client certificates are not read. */
  readonly certificate: string | null;
  /** Name of the cookie, as it is; null: sessions are not read. */
  readonly sessionCookie: string | null;
}

/** The header whose certificate may have others beside it (RFC 9440, section 2.3). */
const clientCert = 'client-cert';
const clientCertChain = 'client-cert-chain';

/** What values of the Authorization field say that were read before. */
export interface KnownAuthorizations {
  /** The same as reading the value; null where it has to be read. */
  credential(authorization: string): AuthorizationCredential | null;
}

const isNamed = (name: string, lowerName: string): boolean =>
  name === lowerName || (name.length === lowerName.length && name.toLowerCase() === lowerName);

/**
 * Reads the credentials of a request. A credential field that occurs twice fails the whole request: this agent and
 * the upstream could each believe another one; of cookies, whoever reads them decides. Client-Cert-Chain alone may
 * have several lines: it is a list, and they are one value (RFC 8941, section 4.2).
 */
export const requestCredentials = (
  headers: HeaderList,
  names: CredentialHeaders,
  known: KnownAuthorizations | null = null,
): Result<RequestCredentials, 'ambiguous_credentials'> => {
  let authorization: string | null = null;
  let apiKey: string | null = null;
  let certificate: string | null = null;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    // One name may stand for several: what is read of a field does not depend on what else it is.
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
  return ok({
    authorization:
      authorization === null ? null : (known?.credential(authorization) ?? parseAuthorization(authorization)),
    apiKey,
    certificate: certificate === null ? null : { value: certificate, chain: chainBeside(headers, names) },
    sessionCookies: names.sessionCookie === null ? noCookies : cookieValues(headers, names.sessionCookie),
  });
};

const noCookies: readonly string[] = [];

const chainBeside = (headers: HeaderList, names: CredentialHeaders): string | null => {
  if (names.certificate !== clientCert) return null;
  const chain = allHeaders(headers, clientCertChain);
  return chain.length === 0 ? null : chain.join(', ');
};

/**
 * Every way to authenticate, as X-Auth-Method names it, in the order in which they are tried: the first that succeeds
 * wins, and one that fails is not the end.
 */
export const authenticationMethods = ['mtls', 'saml', 'oidc', 'jwt', 'api_key', 'basic'] as const;

export type AuthenticationMethod = (typeof authenticationMethods)[number];

/** Less than zero where `first` is tried before `second`. */
export const comparePrecedence = (first: AuthenticationMethod, second: AuthenticationMethod): number =>
  authenticationMethods.indexOf(first) - authenticationMethods.indexOf(second);
