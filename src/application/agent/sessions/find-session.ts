import type { Session } from '../../../domain/agent/sessions/session.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { SessionStore } from '../../ports/agent/session-store.js';

/** Finds the only session whose hash has this prefix. The error is one clause. */
export const findSession = async (sessions: SessionStore, prefix: string): Promise<Result<Session, string>> => {
  const found = await sessions.findByPrefix(prefix, 2);
  if (!found.ok) return err(`the session store cannot be used: ${found.error.reason}`);
  const [session, another] = found.value;
  if (session === undefined) return err(`there is no session ${prefix}`);
  return another === undefined ? ok(session) : err(`several sessions begin with ${prefix}: give more of the id`);
};
