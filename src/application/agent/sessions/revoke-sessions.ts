import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { SessionStore } from '../../ports/agent/session-store.js';
import { findSession } from './find-session.js';

/**
 * Removes the sessions whose hashes have these prefixes. Removes none if a prefix matches no session or several.
 * Returns the hashes of the removed sessions; the errors are clauses.
 */
export const revokeSessions = async (
  store: SessionStore,
  prefixes: readonly string[],
): Promise<Result<readonly string[], readonly string[]>> => {
  const found = new Set<string>();
  const errors: string[] = [];
  for (const prefix of prefixes) {
    const session = await findSession(store, prefix);
    if (session.ok) found.add(session.value.idHash);
    else errors.push(session.error);
  }
  if (errors.length > 0) return err(errors);
  const removed: string[] = [];
  for (const idHash of found) {
    const answer = await store.remove(idHash);
    if (!answer.ok) {
      const done = removed.length === 0 ? '' : `; revoked before that: ${removed.join(', ')}`;
      return err([`the session store cannot be used: ${answer.error.reason}${done}`]);
    }
    // A session that has ended meanwhile is gone as well.
    removed.push(idHash);
  }
  return ok(removed);
};

/** Removes all sessions of a user and returns their hashes. The error is one clause. */
export const revokeUser = async (store: SessionStore, userId: string): Promise<Result<readonly string[], string>> => {
  const removed = await store.removeOfUser(userId);
  return removed.ok ? removed : err(`the session store cannot be used: ${removed.error.reason}`);
};
