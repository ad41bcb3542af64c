import type { Session } from '../../../domain/agent/sessions/session.js';
import type { Result } from '../../../domain/shared/result.js';

/** The store cannot be used now. One clause for the log, without anything that it holds. */
export interface StoreFailure {
  readonly reason: string;
}

export type Stored<Value> = Promise<Result<Value, StoreFailure>>;

/** Which sessions a LogoutRequest ends. */
export interface SubjectSessions {
  readonly provider: string;
  /** The value of the NameID. */
  readonly subject: string;
  /** Empty: all of the subject. */
  readonly sessionIndexes: readonly string[];
}

export interface SessionPage {
  /** The latest created first. */
  readonly sessions: readonly Session[];
  /** Where the next page begins; null: this is the last. */
  readonly next: string | null;
}

/**
 * Keeps sessions. It gives back what is there, expired or not: whether a session still counts is the domain's rule. What
 * was answered with success is there after the process is killed, where the technology keeps anything at all. No method
 * rejects or waits without a deadline. Moments are wall milliseconds, given by the caller.
 */
export interface SessionStore {
  /** An id that is there already is a failure: ids are 256 random bits. */
  insert(session: Session): Stored<void>;
  find(idHash: string): Stored<Session | null>;
  /** Notes when sessions were last seen; those that are gone are left out, an earlier moment than the stored one changes nothing. */
  touch(seen: readonly { readonly idHash: string; readonly lastSeenMs: number }[]): Stored<void>;
  /** Whether there was one. */
  remove(idHash: string): Stored<boolean>;
  /** The hashes of those that were removed: whoever remembers them forgets them. */
  removeOfSubject(subject: SubjectSessions): Stored<readonly string[]>;
  removeOfUser(userId: string): Stored<readonly string[]>;
  /** `after` is the `next` of the page before. */
  list(query: {
    readonly userId: string | null;
    readonly limit: number;
    readonly after: string | null;
  }): Stored<SessionPage>;
  /** Those whose hash begins so, at most `limit`. */
  findByPrefix(hashPrefix: string, limit: number): Stored<readonly Session[]>;
  /**
   * Removes at most `limit` sessions that have expired at `nowMs`, or, where `seenBeforeMs` is not null, were last seen before that. The
   * result is how many: fewer than `limit` says that none is left.
   */
  removeExpired(nowMs: number, seenBeforeMs: number | null, limit: number): Stored<number>;
  /** All that are there, in constant time. */
  count(): Stored<number>;
}
