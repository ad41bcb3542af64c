/** Where an identity provider takes messages by HTTP-Redirect (SAML bindings, section 3.4). */
export interface LogoutService {
  readonly location: string;
  /** Where answers go, if somewhere else. */
  readonly responseLocation: string | null;
}

/** What is known of the identity provider: configured, or read from its metadata. */
export interface IdentityProvider {
  readonly entityId: string;
  /** Where AuthnRequests go, by HTTP-Redirect. */
  readonly ssoUrl: string;
  /** Null: it has no sign-out by HTTP-Redirect. */
  readonly logout: LogoutService | null;
  /** Certificates whose keys sign, each DER in base64; at least one, several while keys roll over. */
  readonly signingCertificates: readonly string[];
  /** WantAuthnRequestsSigned. */
  readonly wantsSignedRequests: boolean;
}
