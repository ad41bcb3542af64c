import type { Claims } from '../tokens/claims.js';
import type { AuthenticationMethod } from './authentication-method.js';

/** What is told of a client certificate. */
export interface CertificateIdentity {
  /** Null where the subject has none, or several. */
  readonly commonName: string | null;
  /** The subject in text (RFC 4514). */
  readonly distinguishedName: string;
}

/** Who makes a request. */
export interface Identity {
  readonly method: AuthenticationMethod;
  readonly userId: string;
  /** Null where the credential carries none. */
  readonly claims: Claims | null;
  /** Of the client certificate, where that was the credential. */
  readonly certificate: CertificateIdentity | null;
}
