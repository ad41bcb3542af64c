import type { Session } from '../../../domain/agent/sessions/session.js';
import type { PreparedIdentity } from '../authenticate/prepared-identity.js';

/** What the id in a session cookie has come to. */
export type SessionCheckResult =
  | { readonly kind: 'active'; readonly prepared: PreparedIdentity; readonly session: Session }
  /** No session by that id, or one of another identity provider. */
  | { readonly kind: 'unknown' }
  /** It is over: its time, or its time without use. */
  | { readonly kind: 'expired' }
  /** The store cannot be asked, and what is remembered is too old. */
  | { readonly kind: 'unavailable' };

export const unknownSession: SessionCheckResult = { kind: 'unknown' };
export const expired: SessionCheckResult = { kind: 'expired' };
export const unavailable: SessionCheckResult = { kind: 'unavailable' };
