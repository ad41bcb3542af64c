/** What a response has to be, of whoever asked for it. Moments are milliseconds since the Unix epoch. */
export interface ResponseExpectation {
  readonly nowMs: number;
  readonly clockSkewMs: number;
  readonly idpEntityId: string;
  readonly spEntityId: string;
  /** Where it has to be brought: the consumer endpoint, or the token endpoint for what is exchanged. */
  readonly acsUrl: string;
  /** ID of the AuthnRequest that it answers; null: none was sent. */
  readonly requestId: string | null;
  readonly allowIdpInitiated: boolean;
  /** URI; null: any. */
  readonly nameIdFormat: string | null;
  /** URIs, one of which is required; empty: any. */
  readonly authnContexts: readonly string[];
  /** The user has to have been authenticated since, because that was asked for; null: at any time. */
  readonly authenticatedSinceMs: number | null;
  /** The attribute that is the user id; null: the NameID is. */
  readonly userIdAttribute: string | null;
}
