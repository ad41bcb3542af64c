import { cookieValues } from '../http/cookies.js';
import { allHeaders, type HeaderList } from '../http/header-list.js';
import { err, ok, type Result } from '../shared/result.js';
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

/**
 * Reads the credentials of a request. A credential field that occurs twice fails the whole request: this agent and the
 * upstream could each believe another one; of cookies, whoever reads them decides. Client-Cert-Chain alone may have several lines: it is a list, and they are one
 * value (RFC 8941, section 4.2).
 */
export const requestCredentials = (
  headers: HeaderList,
  names: CredentialHeaders,
): Result<RequestCredentials, 'ambiguous_credentials'> => {
  const authorization = allHeaders(headers, 'authorization');
  const apiKey = names.apiKey === null ? [] : allHeaders(headers, names.apiKey);
  const certificate = names.certificate === null ? [] : allHeaders(headers, names.certificate);
  const chain = names.certificate === clientCert ? allHeaders(headers, clientCertChain) : [];
  if (authorization.length > 1 || apiKey.length > 1 || certificate.length > 1) return err('ambiguous_credentials');
  const chainValue = chain.length === 0 ? null : chain.join(', ');
  return ok({
    authorization: authorization[0] === undefined ? null : parseAuthorization(authorization[0]),
    apiKey: apiKey[0] ?? null,
    certificate: certificate[0] === undefined ? null : { value: certificate[0], chain: chainValue },
    sessionCookies: names.sessionCookie === null ? [] : cookieValues(headers, names.sessionCookie),
  });
};
