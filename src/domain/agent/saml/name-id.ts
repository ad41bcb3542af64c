/** Who a subject is, as an identity provider names it (SAML core, section 2.2.3). */
export interface NameId {
  readonly value: string;
  /** Null: unspecified. */
  readonly format: string | null;
  readonly nameQualifier: string | null;
  readonly spNameQualifier: string | null;
}
