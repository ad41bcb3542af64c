/** A LogoutRequest (SAML core, section 3.7.1) with a verified signature. */
export interface LogoutRequest {
  readonly id: string;
  readonly issuer: string;
  readonly issueInstantMs: number;
  readonly destination: string | null;
  readonly notOnOrAfterMs: number | null;
  readonly nameId: NameId;
  /** Empty: all sessions of the subject. */
  readonly sessionIndexes: readonly string[];
}

/** A LogoutResponse (SAML core, section 3.7.2). */
export interface LogoutResponse {
  readonly id: string;
  readonly issuer: string;
  readonly destination: string | null;
  readonly inResponseTo: string | null;
  readonly statusCodes: readonly string[];
  /** An unsigned response is only logged; it ends nothing. */
  readonly isSigned: boolean;
}

/** The name of a subject (SAML core, section 2.2.3). */
export interface NameId {
  readonly value: string;
  /** Null: unspecified. */
  readonly format: string | null;
  readonly nameQualifier: string | null;
  readonly spNameQualifier: string | null;
}

/** A subject confirmation with its data (SAML core, section 2.4.1.2; SAML profiles, section 4.1.4.2). */
export interface SubjectConfirmation {
  readonly method: string;
  /** Null: no SubjectConfirmationData. */
  readonly data: {
    readonly recipient: string | null;
    readonly inResponseTo: string | null;
    /** Milliseconds since the Unix epoch, like all times here. */
    readonly notBeforeMs: number | null;
    readonly notOnOrAfterMs: number | null;
  } | null;
}

/** SAML core, section 2.5. */
export interface Conditions {
  readonly notBeforeMs: number | null;
  readonly notOnOrAfterMs: number | null;
  /** One list per AudienceRestriction; each must name this service provider. */
  readonly audienceRestrictions: readonly (readonly string[])[];
  readonly oneTimeUse: boolean;
  /**
   * Whether there is another condition than AudienceRestriction, OneTimeUse and ProxyRestriction. It cannot be
   * enforced.
   */
  readonly unknown: boolean;
}

/** SAML core, section 2.7.2. */
export interface AuthenticationStatement {
  readonly authnInstantMs: number;
  readonly sessionIndex: string | null;
  readonly sessionNotOnOrAfterMs: number | null;
  /** AuthnContextClassRef. */
  readonly contextClass: string | null;
}

export interface AssertionAttribute {
  /** The attribute Name. */
  readonly name: string;
  /** The texts of its values, in order; omits values that contain elements. */
  readonly values: readonly string[];
}

/** The signed content of an assertion, parsed but not checked. */
export interface Assertion {
  readonly id: string;
  readonly issuer: string;
  readonly issueInstantMs: number;
  /** Null: no subject, or one without a NameID. */
  readonly nameId: NameId | null;
  readonly confirmations: readonly SubjectConfirmation[];
  /** Null: none. */
  readonly conditions: Conditions | null;
  readonly authentication: readonly AuthenticationStatement[];
  readonly attributes: readonly AssertionAttribute[];
}

/**
 * The head of a response. If only the assertion is signed, the head is unverified: it can cause a refusal, but never
 * acceptance.
 */
export interface SamlResponseHead {
  readonly id: string;
  /** Null: absent. */
  readonly issuer: string | null;
  readonly issueInstantMs: number;
  readonly destination: string | null;
  readonly inResponseTo: string | null;
  /** The top-level status code, then its subcodes. */
  readonly statusCodes: readonly string[];
  readonly isSigned: boolean;
}

/** An assertion that the identity provider signed, directly or in a signed response. */
export interface VerifiedAssertion {
  /** Null: the assertion came alone, with its own signature. */
  readonly head: SamlResponseHead | null;
  readonly assertion: Assertion;
}

/** A response with at least one signature, all of them by keys of the identity provider. */
export interface VerifiedResponse extends VerifiedAssertion {
  readonly head: SamlResponseHead;
}
