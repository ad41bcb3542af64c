/**
 * Where an identity provider takes messages about signing out, by HTTP-Redirect (SAML bindings, section 3.4) unless
 * it says otherwise.
 */
export interface LogoutService {
  /** It takes them by HTTP-POST alone (SAML bindings, section 3.5). */
  readonly byPost?: true;
  readonly location: string;
  /** Where answers go, if somewhere else. */
  readonly responseLocation: string | null;
}

/** What is known of the identity provider: configured, or read from its metadata. */
export interface IdentityProvider {
  readonly entityId: string;
  /** Where AuthnRequests go, by HTTP-Redirect unless `ssoByPost` says otherwise. */
  readonly ssoUrl: string;
  /** It takes AuthnRequests by HTTP-POST alone. */
  readonly ssoByPost?: true;
  /** Null: it has no sign-out that a browser can be sent to. */
  readonly logout: LogoutService | null;
  /** Certificates whose keys sign, each DER in base64; at least one, several while keys roll over. */
  readonly signingCertificates: readonly string[];
  /** WantAuthnRequestsSigned. */
  readonly wantsSignedRequests: boolean;
}
