import type { Session } from '../sessions/session.js';

/** The uses, and the keys in the details of a session, of its encrypted tokens. */
export const accessTokenDetail = 'access_token';
export const refreshTokenDetail = 'refresh_token';

/** Details in plain text. */
const fromDetail = 'tokens_from_ms';
const untilDetail = 'tokens_until_ms';
const failuresDetail = 'refresh_failures';

/** When an access token is valid, in milliseconds since the Unix epoch. */
export interface TokenLife {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The tokens of a session, as far as decisions depend on them. */
export interface SessionTokens {
  /** Null: the provider did not state when the access token expires. */
  readonly life: TokenLife | null;
  readonly hasAccessToken: boolean;
  readonly hasRefreshToken: boolean;
}

/** How a login uses its tokens. */
export interface RefreshPolicy {
  /** Whether upstreams get the access token. */
  readonly forwards: boolean;
  /** How long a session continues after its access token expires, in milliseconds. */
  readonly graceMs: number;
}

/** Reads a time that this agent wrote; null: none. */
const timeIn = (text: string | undefined): number | null => {
  const time = text === undefined ? Number.NaN : Number(text);
  return Number.isSafeInteger(time) ? time : null;
};

/** The tokens in the details of a session. */
export const readSessionTokens = (details: Session['details']): SessionTokens => {
  const fromMs = timeIn(details[fromDetail]);
  const untilMs = timeIn(details[untilDetail]);
  return {
    life: fromMs === null || untilMs === null ? null : { fromMs, untilMs },
    hasAccessToken: details[accessTokenDetail] !== undefined,
    hasRefreshToken: details[refreshTokenDetail] !== undefined,
  };
};

/** The tokens of a token response, encrypted for a session. Null: not kept. */
export interface SealedTokens {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
  /** When the request for them was sent. */
  readonly fromMs: number;
  /** How long the access token is valid; null: not stated. */
  readonly lifetimeMs: number | null;
}

/** Writes tokens as details of a session. Without tokens to keep, there are none. */
export const tokenDetails = ({ accessToken, refreshToken, fromMs, lifetimeMs }: SealedTokens): Session['details'] =>
  accessToken === null && refreshToken === null
    ? {}
    : {
        ...(accessToken !== null && { [accessTokenDetail]: accessToken }),
        ...(refreshToken !== null && { [refreshTokenDetail]: refreshToken }),
        ...(lifetimeMs !== null && {
          [fromDetail]: String(fromMs),
          [untilDetail]: String(fromMs + lifetimeMs),
        }),
      };

/** The details of a session without those that each refresh writes anew. The refresh token stays. */
export const withoutTokenDetails = (details: Session['details']): Session['details'] => {
  const { [accessTokenDetail]: _token, [fromDetail]: _from, [untilDetail]: _until, ...others } = details;
  const { [failuresDetail]: _failures, ...kept } = others;
  return kept;
};

/** How long before its expiry an access token is refreshed, in milliseconds. */
const leadMs = 30_000;

/** When an access token is due for refresh: 30 s before its expiry, or after half of its lifetime if that is later. */
export const refreshDueMs = ({ fromMs, untilMs }: TokenLife): number =>
  untilMs - Math.min(leadMs, (untilMs - fromMs) / 2);

/**
 * What a request with a session does.
 * - `valid`: it proceeds.
 * - `due`: it proceeds, and a refresh begins.
 * - `expired`: it waits for a refresh. The grace is over too.
 * - `unrefreshable`: no refresh can help; the user must sign on again.
 */
export type TokenState = 'valid' | 'due' | 'expired' | 'unrefreshable';

const stateWithoutRefresh = (
  { life, hasAccessToken }: SessionTokens,
  { forwards }: RefreshPolicy,
  nowMs: number,
): TokenState => {
  if (!forwards) return 'valid';
  return hasAccessToken && (life === null || nowMs < life.untilMs) ? 'valid' : 'unrefreshable';
};

/** The state of the tokens of a session. An access token without a stated lifetime never expires (ADR 0051). */
export const tokenState = (tokens: SessionTokens, policy: RefreshPolicy, nowMs: number): TokenState => {
  const { life, hasAccessToken, hasRefreshToken } = tokens;
  if (!hasRefreshToken) return stateWithoutRefresh(tokens, policy, nowMs);
  // The session began before the login forwarded tokens.
  if (policy.forwards && !hasAccessToken) return 'expired';
  if (life === null || nowMs < refreshDueMs(life)) return 'valid';
  return nowMs < life.untilMs + (policy.forwards ? 0 : policy.graceMs) ? 'due' : 'expired';
};

const firstBackoffMs = 1_000;
const maximumBackoffMs = 30_000;

/** The failed refreshes of a session since the last success. */
export const refreshFailures = (details: Session['details']): number =>
  Math.max(0, timeIn(details[failuresDetail]) ?? 0);

/** Details of a session after another failed refresh. */
export const failedRefreshDetails = (details: Session['details']): Session['details'] => ({
  ...details,
  [failuresDetail]: String(Math.min(refreshFailures(details) + 1, 1_000)),
});

/**
 * The back-off of a session after a failed refresh, in milliseconds: doubled with each failure, at most 30 s.
 * @param failures consecutive failures, at least one
 * @param fraction random, from 0 and below 1; spreads sessions over the second half of the back-off
 */
export const refreshBackoffMs = (failures: number, fraction: number): number => {
  const backoffMs = Math.min(maximumBackoffMs, firstBackoffMs * 2 ** Math.min(failures - 1, 10));
  return Math.round(backoffMs / 2 + (fraction * backoffMs) / 2);
};

/** Why a failed refresh ends the session. */
export const finalRefreshFailures = [
  /** The provider refuses the refresh token: the user has signed out or was locked out there. */
  'invalid_grant',
  /** The ID token is about another user. */
  'other_subject',
  /** The claims of the user no longer fulfil the rules of the login, or name another user id. */
  'user_refused',
  /** The stored refresh token cannot be decrypted. */
  'unreadable_token',
] as const;

/** Why a refresh failed that is retried. */
export const retryableRefreshFailures = [
  'provider_unavailable',
  'token_endpoint_failed',
  'client_refused',
  'malformed_token_response',
  'id_token_refused',
  'userinfo_failed',
  'store_unavailable',
  'timed_out',
] as const;

export type FinalRefreshFailure = (typeof finalRefreshFailures)[number];
export type RetryableRefreshFailure = (typeof retryableRefreshFailures)[number];

/** Values of a metric label. */
export type TokenRefreshResult = 'refreshed' | FinalRefreshFailure | RetryableRefreshFailure;
