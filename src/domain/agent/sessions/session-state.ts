import type { Session } from './session.js';

export type SessionState = 'active' | 'expired' | 'idle' | 'other_provider';

export interface SessionRules {
  readonly nowMs: number;
  /** Null: one that is not used lasts as long as one that is. */
  readonly idleMs: number | null;
  /** Entity id of the identity provider that counts now; null: it is not known, and any does. */
  readonly provider: string | null;
}

/**
 * Whether a session counts. Being seen keeps it from becoming idle and never from expiring; once it is over, nothing
 * opens it again. A session of an identity provider that is no more the configured one does not count.
 */
export const sessionState = (
  session: Pick<Session, 'provider' | 'expiresMs' | 'lastSeenMs'>,
  { nowMs, idleMs, provider }: SessionRules,
): SessionState => {
  if (provider !== null && session.provider !== provider) return 'other_provider';
  if (nowMs >= session.expiresMs) return 'expired';
  return idleMs !== null && nowMs >= session.lastSeenMs + idleMs ? 'idle' : 'active';
};
