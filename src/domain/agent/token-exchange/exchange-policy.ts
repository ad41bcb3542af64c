import type { ExchangeTokenKind, IssuedKind } from './security-token.js';

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

/** One conversion that is allowed. */
export interface AllowedExchange {
  readonly subjectKind: ExchangeTokenKind;
  readonly issuedKind: IssuedKind;
}

/** What one client may have, or anybody where there are no clients. Prepared when the configuration loads. */
export interface ExchangePolicy {
  /** `iss` of what is issued. */
  readonly issuer: string;
  /** Milliseconds, whole seconds. */
  readonly tokenTtlMs: number;
  /** Nothing that is issued outlasts its subject token. Tokens of our own are never prolonged, whatever this says. */
  readonly limitLifetimeToSubject: boolean;
  /** Actors in a chain, at most; 0: nobody may act for another one. */
  readonly maximumActors: number;
  /** Names of claims of the subject token that are taken over; none of them is one that is set here. */
  readonly claimsCopied: readonly string[];
  /** `aud` where the request names no target; null: the issuer. */
  readonly defaultAudience: string | null;
  /** In their order: of several that fit a request which names no kind the first counts. */
  readonly allowedExchanges: readonly AllowedExchange[];
  /** Values that `audience` and `resource` may have, the default one among them; null: any. */
  readonly allowedAudiences: ReadonlySet<string> | null;
  /** Scopes that may be issued; null: those of the subject token, and none where it says nothing of scopes. */
  readonly allowedScopes: ReadonlySet<string> | null;
  /** The client that has authenticated itself; null: there are no clients. */
  readonly clientId: string | null;
  /** A token of our own has to be meant for one of these; null: for whomever. */
  readonly acceptedAudiences: ReadonlySet<string> | null;
}
