import type { LimitViolation } from './limit-violation.js';

/** How many connections of clients may be open at a time. */
export interface ConnectionLimits {
  readonly maxTotalConnections: number;
  /** Of one peer address. */
  readonly maxConnectionsPerClient: number;
}

/** Connections that are open already. */
export interface OpenConnections {
  readonly total: number;
  /** Those of the peer that comes now; null where it speaks for many clients and is not counted. */
  readonly ofClient: number | null;
}

/** Connections that the admin address takes at a time, beside those of clients. */
export const maxAdminConnections = 1_000;

/** What keeps one more connection out where `open` of at most `limit` are there; null: nothing. */
export const connectionsOver = (name: string, limit: number, open: number): LimitViolation | null =>
  open < limit ? null : { code: 'connection_limit_reached', name, limit, actual: open + 1 };

/**
 * What keeps one more connection out; null: nothing does. `shortage` is that of memory. A client that has too many itself
 * is told that, whatever the others have.
 */
export const connectionViolation = (
  limits: ConnectionLimits,
  open: OpenConnections,
  shortage: LimitViolation | null,
): LimitViolation | null => {
  if (shortage !== null) return shortage;
  const ofClient =
    open.ofClient === null
      ? null
      : connectionsOver('max-connections-per-client', limits.maxConnectionsPerClient, open.ofClient);
  return ofClient ?? connectionsOver('max-total-connections', limits.maxTotalConnections, open.total);
};
