/** A LogoutRequest (SAML core, section 3.7.1) whose signature has been verified. */
export interface LogoutRequest {
  readonly id: string;
  readonly issuer: string;
  readonly issueInstantMs: number;
  readonly destination: string | null;
  readonly notOnOrAfterMs: number | null;
  readonly nameId: NameId;
  /** Empty: every session of the subject. */
  readonly sessionIndexes: readonly string[];
}

/** A LogoutResponse (SAML core, section 3.7.2). */
export interface LogoutResponse {
  readonly id: string;
  readonly issuer: string;
  readonly destination: string | null;
  readonly inResponseTo: string | null;
  readonly statusCodes: readonly string[];
  /** One that is not is only looked at: it ends nothing. */
  readonly isSigned: boolean;
}

/** Who a subject is, as an identity provider names it (SAML core, section 2.2.3). */
export interface NameId {
  readonly value: string;
  /** Null: unspecified. */
  readonly format: string | null;
  readonly nameQualifier: string | null;
  readonly spNameQualifier: string | null;
}

/** A bearer confirmation of a subject, with its data (SAML core, section 2.4.1.2; SAML profiles, section 4.1.4.2). */
export interface SubjectConfirmation {
  readonly method: string;
  /** Null: it has no SubjectConfirmationData. */
  readonly data: {
    readonly recipient: string | null;
    readonly inResponseTo: string | null;
    /** Milliseconds since the Unix epoch, as every moment here. */
    readonly notBeforeMs: number | null;
    readonly notOnOrAfterMs: number | null;
  } | null;
}

/** SAML core, section 2.5. */
export interface Conditions {
  readonly notBeforeMs: number | null;
  readonly notOnOrAfterMs: number | null;
  /** One list for each AudienceRestriction: each of them has to name us. */
  readonly audienceRestrictions: readonly (readonly string[])[];
  readonly oneTimeUse: boolean;
  /** Conditions that are neither audience restrictions, OneTimeUse nor ProxyRestriction: none of them can be kept. */
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
  /** Texts of its values, in their order; values that hold elements are left out. */
  readonly values: readonly string[];
}

/** An assertion as its signed octets say it, read and not yet judged. */
export interface Assertion {
  readonly id: string;
  readonly issuer: string;
  readonly issueInstantMs: number;
  /** Null: no subject, or one without a name. */
  readonly nameId: NameId | null;
  readonly confirmations: readonly SubjectConfirmation[];
  /** Null: it has none. */
  readonly conditions: Conditions | null;
  readonly authentication: readonly AuthenticationStatement[];
  readonly attributes: readonly AssertionAttribute[];
}

/** The head of a response. Where only the assertion is signed it is not proven: it can refuse, and never allow. */
export interface SamlResponseHead {
  readonly id: string;
  /** Null: none is named. */
  readonly issuer: string | null;
  readonly issueInstantMs: number;
  readonly destination: string | null;
  readonly inResponseTo: string | null;
  /** The top-level status code, and those below it. */
  readonly statusCodes: readonly string[];
  readonly isSigned: boolean;
}

/**
 * An assertion that a key of the identity provider has signed, or the response around it, as `VerifiedResponse` has
 * it.
 */
export interface VerifiedAssertion {
  /** Null: the assertion came alone, and is signed itself. */
  readonly head: SamlResponseHead | null;
  readonly assertion: Assertion;
}

/** A response one of whose signatures, and every one that it has, was made with a key of the identity provider. */
export interface VerifiedResponse extends VerifiedAssertion {
  readonly head: SamlResponseHead;
}
