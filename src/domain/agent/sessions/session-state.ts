import type { Session } from './session.js';

export type SessionState = 'active' | 'expired' | 'idle' | 'other_provider';

export interface SessionRules {
  readonly nowMs: number;
  /** Null: no idle limit. */
  readonly idleMs: number | null;
  /** Whether sessions of a provider count: it is one of those configured, or they are unknown. */
  readonly accepts: (session: Pick<Session, 'method' | 'provider'>) => boolean;
}

/**
 * The state of a session. Use restarts the idle time, but not the lifetime. An ended session never becomes active
 * again. Sessions of other identity providers than the configured ones are invalid.
 */
export const sessionState = (
  session: Pick<Session, 'method' | 'provider' | 'expiresMs' | 'lastSeenMs'>,
  { nowMs, idleMs, accepts }: SessionRules,
): SessionState => {
  if (!accepts(session)) return 'other_provider';
  if (nowMs >= session.expiresMs) return 'expired';
  return idleMs !== null && nowMs >= session.lastSeenMs + idleMs ? 'idle' : 'active';
};
