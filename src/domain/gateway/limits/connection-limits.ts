import type { LimitViolation } from './limit-violation.js';

/** Largest number of concurrent admin connections, in addition to client connections. */
export const maxAdminConnections = 1_000;

/** The violation by one more connection or request when `open` exist and `limit` are allowed. */
export const reachedConnectionLimit = (name: string, limit: number, open: number): LimitViolation => ({
  code: 'connection_limit_reached',
  name,
  limit,
  actual: Math.max(limit, open) + 1,
});

/** The violation by one more connection; null: it fits. */
export const connectionsOver = (name: string, limit: number, open: number): LimitViolation | null =>
  open < limit ? null : reachedConnectionLimit(name, limit, open);
