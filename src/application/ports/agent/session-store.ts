import type { Session, SignOnMethod } from '../../../domain/agent/sessions/session.js';
import type { Result } from '../../../domain/shared/result.js';

/** The store is unavailable. The reason is one clause for the log, without stored data. */
export interface StoreFailure {
  readonly reason: string;
}

export type Stored<Value> = Promise<Result<Value, StoreFailure>>;

/** The sessions of a subject at an identity provider. */
interface SessionsOfSubject {
  /** The method of the message: a provider of one method must not end sessions of another by an equal name. */
  readonly method: SignOnMethod;
  readonly provider: string;
  /** The value of a SAML NameID, or the `sub` of an OpenID provider. */
  readonly subject: string;
  /** SAML SessionIndexes or OpenID `sid`s. Empty: all sessions of the subject. */
  readonly sessionIndexes: readonly string[];
}

/** The sessions that a logout message of an identity provider ends. */
export type SubjectSessions =
  | SessionsOfSubject
  /** The `sid`s alone name the sessions. A SAML SessionIndex is unique only for its subject. */
  | (Omit<SessionsOfSubject, 'method' | 'subject'> & { readonly method: 'oidc'; readonly subject: null });

export interface SessionPage {
  /** Newest first. */
  readonly sessions: readonly Session[];
  /** Where the next page begins; null on the last page. */
  readonly next: string | null;
}

/** A claim to refresh the tokens of a session at its provider. */
export interface RefreshLease {
  readonly idHash: string;
  /** A random text, new for each attempt. */
  readonly holder: string;
  /** When the lease expires: from then on another caller can take it. */
  readonly untilMs: number;
  readonly nowMs: number;
}

/**
 * `leased`: the caller may refresh. `held`: another caller has the lease. `backing_off`: the last refresh failed, and its
 * back-off continues. `gone`: the session has ended.
 */
export type LeaseOutcome = 'leased' | 'held' | 'backing_off' | 'gone';

/** The end of a refresh. */
export interface EndedRefresh {
  readonly idHash: string;
  readonly holder: string;
  /** The new details of the session; null: they stay. */
  readonly details: Session['details'] | null;
  /** Until this time no caller gets the lease; 0: there is no back-off. */
  readonly backoffUntilMs: number;
}

export type SessionCounts = Readonly<Record<SignOnMethod, number>>;

/**
 * Stores sessions. Returns expired sessions too: the domain decides whether a session is valid.
 * A successful write survives a crash of the process if the technology is persistent. No method
 * rejects, and every wait has a deadline. Times are wall milliseconds from the caller.
 */
export interface SessionStore {
  /** Fails if the id exists: ids are 256 random bits. */
  insert(session: Session): Stored<void>;
  find(idHash: string): Stored<Session | null>;
  /** Updates the last-seen times. Skips removed sessions and times older than the stored one. */
  touch(seen: readonly { readonly idHash: string; readonly lastSeenMs: number }[]): Stored<void>;
  /**
   * Takes the refresh lease of a session. At any time at most one caller in all processes has it. It ends with the
   * session.
   */
  takeRefreshLease(lease: RefreshLease): Stored<LeaseOutcome>;
  /**
   * Ends a refresh if the holder still has the lease, and atomically replaces the details of the session. Returns
   * whether it had it; otherwise nothing changes, because the session has ended or another holder refreshes it.
   */
  endRefresh(ended: EndedRefresh): Stored<boolean>;
  /** Whether the session existed. */
  remove(idHash: string): Stored<boolean>;
  /** Returns the hashes of the removed sessions, so that caches can evict them. */
  removeOfSubject(subject: SubjectSessions): Stored<readonly string[]>;
  removeOfUser(userId: string): Stored<readonly string[]>;
  /** `after` is the `next` of the previous page. */
  list(query: {
    readonly userId: string | null;
    readonly limit: number;
    readonly after: string | null;
  }): Stored<SessionPage>;
  /** At most `limit` sessions whose hash has this prefix. */
  findByPrefix(hashPrefix: string, limit: number): Stored<readonly Session[]>;
  /**
   * Removes at most `limit` sessions that expired at `nowMs` or were last seen before
   * `seenBeforeMs` (if not null). Returns their number; fewer than `limit` means that none is left.
   */
  removeExpired(nowMs: number, seenBeforeMs: number | null, limit: number): Stored<number>;
  /** The number of stored sessions, in constant time. */
  count(): Stored<number>;
  /** The number of stored sessions of each method, in constant time. */
  countByMethod(): Stored<SessionCounts>;
}
