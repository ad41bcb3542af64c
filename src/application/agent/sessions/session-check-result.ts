import type { Session } from '../../../domain/agent/sessions/session.js';
import type { PreparedIdentity } from '../authenticate/prepared-identity.js';

/** The result of checking the id in a session cookie. */
export type SessionCheckResult =
  | { readonly kind: 'active'; readonly prepared: PreparedIdentity; readonly session: Session }
  /** No session has this id, or the session is from another identity provider. */
  | { readonly kind: 'unknown' }
  /** The session has reached its lifetime or its idle time. */
  | { readonly kind: 'expired' }
  /** The store is unavailable, and the cached session is too old or missing. */
  | { readonly kind: 'unavailable' }
  /** The access token has expired, and the refresh failed or is late. */
  | { readonly kind: 'not_refreshed' };

export const unknownSession: SessionCheckResult = { kind: 'unknown' };
export const expired: SessionCheckResult = { kind: 'expired' };
export const unavailable: SessionCheckResult = { kind: 'unavailable' };
export const notRefreshed: SessionCheckResult = { kind: 'not_refreshed' };
