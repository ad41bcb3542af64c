import type { SessionStore } from '../../ports/agent/session-store.js';
import { findSession } from './find-session.js';

/** A session that was removed. */
export interface RevokedSession {
  readonly idHash: string;
  readonly userId: string;
  /** The sign-on method; null: the store did not say. */
  readonly method: string | null;
}

/** The removed sessions, and clauses that say why others were not. */
export interface Revocation {
  readonly revoked: readonly RevokedSession[];
  readonly errors: readonly string[];
}

/**
 * Removes the sessions whose hashes have these prefixes. Removes none if a prefix matches no session or several. Stops
 * when the store fails.
 */
export const revokeSessions = async (store: SessionStore, prefixes: readonly string[]): Promise<Revocation> => {
  const found = new Map<string, RevokedSession>();
  const errors: string[] = [];
  for (const prefix of prefixes) {
    const session = await findSession(store, prefix);
    if (session.ok) found.set(session.value.idHash, session.value);
    else errors.push(session.error);
  }
  if (errors.length > 0) return { revoked: [], errors };
  const revoked: RevokedSession[] = [];
  for (const { idHash, userId, method } of found.values()) {
    const answer = await store.remove(idHash);
    if (!answer.ok) {
      const hashes = revoked.map((session) => session.idHash).join(', ');
      const done = hashes === '' ? '' : `; revoked before that: ${hashes}`;
      return { revoked, errors: [`the session store cannot be used: ${answer.error.reason}${done}`] };
    }
    // A session that has ended meanwhile is gone as well.
    revoked.push({ idHash, userId, method });
  }
  return { revoked, errors: [] };
};

/** Removes all sessions of a user. */
export const revokeUser = async (store: SessionStore, userId: string): Promise<Revocation> => {
  const removed = await store.removeOfUser(userId);
  return removed.ok
    ? { revoked: removed.value.map((idHash) => ({ idHash, userId, method: null })), errors: [] }
    : { revoked: [], errors: [`the session store cannot be used: ${removed.error.reason}`] };
};
