import type { ExchangeTokenKind, IssuedKind } from './security-token.js';

/** An actor, as in `act` (RFC 8693, section 4.1). */
export interface Actor {
  /** Null: unknown. */
  readonly issuer: string | null;
  readonly subject: string;
}

/** A token to issue. */
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
  /** The current one first; empty: no delegation. */
  readonly actors: readonly Actor[];
  readonly jti: string;
}

/** An allowed conversion. */
export interface AllowedExchange {
  readonly subjectKind: ExchangeTokenKind;
  readonly issuedKind: IssuedKind;
}

/** The rights of one client, or of everyone if no clients are configured. Prepared with the configuration. */
export interface ExchangePolicy {
  /** `iss` of issued tokens. */
  readonly issuer: string;
  /** In milliseconds; a multiple of a second. */
  readonly tokenTtlMs: number;
  /** Whether a token never outlasts its subject token. Tokens of this agent never do. */
  readonly limitLifetimeToSubject: boolean;
  /** Maximum actors in a chain; 0: no delegation. */
  readonly maximumActors: number;
  /** Names of claims to copy from the subject token; none is one that the agent sets. */
  readonly claimsCopied: readonly string[];
  /** `aud` of requests without a target; null: the issuer. */
  readonly defaultAudience: string | null;
  /** In order: a request without a token type gets the first that fits. */
  readonly allowedExchanges: readonly AllowedExchange[];
  /** Allowed values of `audience` and `resource`, including the default; null: any. */
  readonly allowedAudiences: ReadonlySet<string> | null;
  /** Scopes that may be issued; null: those of the subject token, or none if it says nothing about scopes. */
  readonly allowedScopes: ReadonlySet<string> | null;
  /** The authenticated client; null: no clients are configured. */
  readonly clientId: string | null;
  /** A token of this agent must be meant for one of these; null: any. */
  readonly acceptedAudiences: ReadonlySet<string> | null;
}
