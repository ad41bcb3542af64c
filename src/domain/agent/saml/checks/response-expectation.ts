/** The expected content of a response. Times are milliseconds since the Unix epoch. */
export interface ResponseExpectation {
  readonly nowMs: number;
  readonly clockSkewMs: number;
  readonly idpEntityId: string;
  readonly spEntityId: string;
  /** The required recipient: the consumer endpoint, or the token endpoint for an exchange. */
  readonly acsUrl: string;
  /** ID of the AuthnRequest that it answers; null: unsolicited. */
  readonly requestId: string | null;
  readonly allowIdpInitiated: boolean;
  /** URI; null: any. */
  readonly nameIdFormat: string | null;
  /** URIs of which one is required; empty: any. */
  readonly authnContexts: readonly string[];
  /** The earliest authentication instant, if re-authentication was requested; null: any time. */
  readonly authenticatedSinceMs: number | null;
  /** The attribute with the user id; null: the NameID. */
  readonly userIdAttribute: string | null;
}
