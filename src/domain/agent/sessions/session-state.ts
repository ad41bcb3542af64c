import type { Session } from './session.js';

export type SessionState = 'active' | 'expired' | 'idle' | 'other_provider';

export interface SessionRules {
  readonly nowMs: number;
  /** Null: no idle limit. */
  readonly idleMs: number | null;
  /** Entity id of the current identity provider; null: unknown, so sessions of any provider are valid. */
  readonly provider: string | null;
}

/**
 * The state of a session. Use restarts the idle time, but not the lifetime. An ended session never becomes active
 * again. Sessions of another identity provider than the configured one are invalid.
 */
export const sessionState = (
  session: Pick<Session, 'provider' | 'expiresMs' | 'lastSeenMs'>,
  { nowMs, idleMs, provider }: SessionRules,
): SessionState => {
  if (provider !== null && session.provider !== provider) return 'other_provider';
  if (nowMs >= session.expiresMs) return 'expired';
  return idleMs !== null && nowMs >= session.lastSeenMs + idleMs ? 'idle' : 'active';
};
