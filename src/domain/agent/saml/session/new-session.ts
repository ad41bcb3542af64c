import type { AcceptedAssertion } from '../checks/judge-assertion.js';
import type { Session } from './session.js';

export interface SessionToOpen {
  readonly accepted: AcceptedAssertion;
  /** SHA-256 of the id, in lower-case hexadecimal. */
  readonly idHash: string;
  /** Entity id of the identity provider. */
  readonly issuer: string;
  readonly nowMs: number;
  readonly ttlMs: number;
}

/**
 * The session that an assertion opens. It ends when its time to live does, or when the identity provider says, if that
 * is earlier.
 */
export const newSession = ({ accepted, idHash, issuer, nowMs, ttlMs }: SessionToOpen): Session => ({
  idHash,
  userId: accepted.userId,
  nameId: accepted.nameId,
  sessionIndex: accepted.sessionIndex,
  issuer,
  attributes: accepted.attributes,
  createdMs: nowMs,
  expiresMs: Math.min(nowMs + ttlMs, accepted.sessionNotOnOrAfterMs ?? Number.POSITIVE_INFINITY),
  lastSeenMs: nowMs,
});
