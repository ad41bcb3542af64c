/**
 * The single logout endpoint of an identity provider, by HTTP-Redirect unless stated otherwise (SAML bindings, section
 * 3.4).
 */
export interface LogoutService {
  /** It supports only HTTP-POST (SAML bindings, section 3.5). */
  readonly byPost?: true;
  readonly location: string;
  /** The endpoint for responses, if different. */
  readonly responseLocation: string | null;
}

/** An identity provider: configured, or read from its metadata. */
export interface IdentityProvider {
  readonly entityId: string;
  /** The endpoint for AuthnRequests, by HTTP-Redirect unless `ssoByPost` is set. */
  readonly ssoUrl: string;
  /** It accepts AuthnRequests only by HTTP-POST. */
  readonly ssoByPost?: true;
  /** Null: no single logout through a browser. */
  readonly logout: LogoutService | null;
  /** Certificates of its signing keys, each DER in base64; several during a key rollover. */
  readonly signingCertificates: readonly string[];
  /** WantAuthnRequestsSigned. */
  readonly wantsSignedRequests: boolean;
}
