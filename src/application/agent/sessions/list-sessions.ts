import type { Session } from '../../../domain/agent/sessions/session.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { SessionStore } from '../../ports/agent/session-store.js';

/** Sessions per query. */
const pageSize = 100;

export interface SessionList {
  /** Newest first. Includes expired sessions that are not yet removed. */
  readonly sessions: readonly Session[];
  /** Whether there are more than `limit`. */
  readonly hasMore: boolean;
}

/** Lists at most `limit` sessions; a null `userId` means all users. The error is one clause. */
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
