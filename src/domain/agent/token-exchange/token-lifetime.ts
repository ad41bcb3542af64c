import type { ExchangePolicy } from './exchange-policy.js';
import type { SecurityToken } from './security-token.js';

/** Whether a token is over by its own word. */
export const hasExpired = ({ expiresMs }: Pick<SecurityToken, 'expiresMs'>, nowMs: number): boolean =>
  !(expiresMs > nowMs);

/** For how long the issued token is good, in whole seconds; null: not for one. Together with the second of now it never outlasts its limits. */
export const tokenLifetimeSecs = (
  subject: Pick<SecurityToken, 'expiresMs' | 'isOwn'>,
  { tokenTtlMs, limitLifetimeToSubject }: ExchangePolicy,
  nowMs: number,
): number | null => {
  // A token of ours that could be prolonged would never end: each exchange gives one that can be exchanged again.
  const isLimited = limitLifetimeToSubject || subject.isOwn;
  const lifetimeMs = isLimited ? Math.min(tokenTtlMs, subject.expiresMs - nowMs) : tokenTtlMs;
  const lifetimeSecs = Math.floor(lifetimeMs / 1000);
  return lifetimeSecs >= 1 ? lifetimeSecs : null;
};
