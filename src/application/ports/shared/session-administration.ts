import type { Result } from '../../../domain/shared/result.js';

/** A session as an operator sees it, without tokens, claims or attributes. */
export interface AdministeredSession {
  /** SHA-256 of the session id in lower-case hexadecimal, or its start: at least 16 digits. It is no credential. */
  readonly id: string;
  readonly userId: string;
  /** The sign-on method: `saml` or `oidc`. */
  readonly method: string;
  readonly provider: string;
  /** Times are milliseconds since the Unix epoch. */
  readonly createdMs: number;
  readonly expiresMs: number;
  readonly lastSeenMs: number;
}

/** A page of a list, newest first. */
export interface AdministeredPage {
  /** Active sessions. Sessions that have ended are omitted, so a page may have fewer than its limit. */
  readonly sessions: readonly AdministeredSession[];
  /** Where the next page begins; null on the last page. */
  readonly next: string | null;
}

/**
 * The sessions of one store, for operators. No method rejects, and every wait has a deadline. An error is one clause,
 * without stored data.
 */
export interface SessionAdministration {
  /** The same object for all agents that share the store. */
  readonly store: object;
  /** `after` is the `next` of the previous page; a null `userId` means all users. */
  list(query: {
    readonly userId: string | null;
    readonly limit: number;
    readonly after: string | null;
  }): Promise<Result<AdministeredPage, string>>;
  /** At most two sessions whose hash has this prefix, of at least 8 digits. */
  find(prefix: string): Promise<Result<readonly AdministeredSession[], string>>;
  /**
   * Ends the session with this id from `find`, in all processes that share the store's cache. Returns whether it
   * existed. An agent in another process logs and audits it with the correlation id.
   */
  revoke(id: string, correlationId: string): Promise<Result<boolean, string>>;
}
