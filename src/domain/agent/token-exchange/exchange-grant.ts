import type { IssuedKind } from './token-kinds.js';

/** Who acts, as `act` names it (RFC 8693, section 4.1). */
export interface Actor {
  /** Null: not known. */
  readonly issuer: string | null;
  readonly subject: string;
}

/** A token that may be issued. */
export interface ExchangeGrant {
  readonly issuedKind: IssuedKind;
  /** `typ` of its header: `at+jwt` (RFC 9068, section 2.1) or `JWT`. */
  readonly type: 'at+jwt' | 'JWT';
  /** Its claims as JSON. */
  readonly payload: string;
  readonly lifetimeSecs: number;
  /** Empty: it has no `scope`. */
  readonly scopes: readonly string[];
  readonly audiences: readonly string[];
  readonly subject: string;
  readonly clientId: string;
  /** The present one first; empty: nobody acts for the subject. */
  readonly actors: readonly Actor[];
  readonly jti: string;
}
