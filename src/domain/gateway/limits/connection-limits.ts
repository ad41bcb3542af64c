import type { LimitViolation } from './limit-violation.js';

/** Connections that the admin address takes at a time, beside those of clients. */
export const maxAdminConnections = 1_000;

/** One more connection, or request, where `open` are there, and no more may be than `limit`. */
export const reachedConnectionLimit = (name: string, limit: number, open: number): LimitViolation => ({
  code: 'connection_limit_reached',
  name,
  limit,
  actual: Math.max(limit, open) + 1,
});

/** What keeps one more connection out where `open` of at most `limit` are there; null: nothing. */
export const connectionsOver = (name: string, limit: number, open: number): LimitViolation | null =>
  open < limit ? null : reachedConnectionLimit(name, limit, open);
