import type { Session } from '../../../domain/agent/sessions/session.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { SessionStore } from '../../ports/agent/session-store.js';

/** What a store is asked for at one time. */
const pageSize = 100;

export interface SessionList {
  /** The latest created first; those that are over and not yet removed are there too. */
  readonly sessions: readonly Session[];
  /** Whether there are more than were asked for. */
  readonly hasMore: boolean;
}

/** Lists at most `limit` sessions, of one user where one is named. The error is one clause. */
export const listSessions = async (
  store: SessionStore,
  { userId, limit }: { readonly userId: string | null; readonly limit: number },
): Promise<Result<SessionList, string>> => {
  const sessions: Session[] = [];
  let after: string | null = null;
  do {
    const page = await store.list({ userId, limit: Math.min(pageSize, limit - sessions.length), after });
    if (!page.ok) return err(`the session store cannot be used: ${page.error.reason}`);
    sessions.push(...page.value.sessions);
    after = page.value.next;
  } while (after !== null && sessions.length < limit);
  return ok({ sessions, hasMore: after !== null });
};
