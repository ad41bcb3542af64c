import type { NameId } from './name-id.js';

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
