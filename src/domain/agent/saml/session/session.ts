import type { AssertionAttribute, NameId } from '../assertion.js';

/** A session of a user, as stores keep it. Moments are milliseconds since the Unix epoch. */
export interface Session {
  /** SHA-256 of the session id, in lower-case hexadecimal: the id itself is in the cookie alone. */
  readonly idHash: string;
  readonly userId: string;
  /** Null: the identity provider gave none, so that no sign-out by it can name the session. */
  readonly nameId: NameId | null;
  /** Of the identity provider's own session; null: it names none. */
  readonly sessionIndex: string | null;
  /** Entity id of the identity provider. */
  readonly issuer: string;
  readonly attributes: readonly AssertionAttribute[];
  readonly createdMs: number;
  /** From this moment on it is over: the earlier of the time to live and SessionNotOnOrAfter. */
  readonly expiresMs: number;
  readonly lastSeenMs: number;
}
