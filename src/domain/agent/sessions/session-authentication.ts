import type { Session } from './session.js';
import type { SessionRequirement } from './session-requirements.js';

/** How the user of a session authenticated. */
export interface SessionAuthentication {
  /** The name of the way to sign on: `saml`, or that of an `oidc-login` block; null: unknown. */
  readonly providerName: string | null;
  /** The authentication context: `acr` of the ID token, or AuthnContextClassRef; null: not stated. */
  readonly acr: string | null;
  /** When the user authenticated: `auth_time` or AuthnInstant, in milliseconds since the Unix epoch; null: not stated. */
  readonly authenticatedMs: number | null;
}

/** Keys of these facts in the details of a session. */
const providerNameDetail = 'provider_name';
const acrDetail = 'acr';
const authenticatedDetail = 'auth_time_ms';
/** SHA-256 of the path of the page for which the agent asked for the sign-on. */
const pageDetail = 'sign_on_page';

/** Maximum characters of a stored context. A configured one is shorter, so a longer one meets nothing. */
const maximumAcrLength = 256;

/** Null: the provider states no time, or one in the future. */
const boundedMs = (statedMs: number | null, nowMs: number, clockSkewMs: number): number | null => {
  if (statedMs === null || !Number.isFinite(statedMs) || statedMs - clockSkewMs > nowMs) return null;
  // Within the tolerance, a clock that is ahead must not make the session younger.
  return Math.floor(Math.min(statedMs, nowMs));
};

/** How a user has just authenticated, as the provider states it. */
export interface StatedAuthentication extends SessionAuthentication {
  readonly nowMs: number;
  readonly clockSkewMs: number;
}

/**
 * The authentication of a sign-on as details of its session. A refresh of tokens must not change them.
 *
 * @param pageHash SHA-256 of the path of the page that the sign-on was for; null: the agent asked for none
 */
export const authenticationDetails = (
  { providerName, acr, authenticatedMs, nowMs, clockSkewMs }: StatedAuthentication,
  pageHash: string | null,
): Readonly<Record<string, string>> => {
  const boundMs = boundedMs(authenticatedMs, nowMs, clockSkewMs);
  return {
    ...(providerName !== null && { [providerNameDetail]: providerName }),
    ...(acr !== null && acr.length <= maximumAcrLength && { [acrDetail]: acr }),
    ...(boundMs !== null && { [authenticatedDetail]: String(boundMs) }),
    ...(pageHash !== null && { [pageDetail]: pageHash }),
  };
};

const millisecondsIn = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : null;

/** The authentication of a session. One that an earlier release opened states nothing. */
export const sessionAuthentication = ({ details }: Pick<Session, 'details'>): SessionAuthentication => ({
  providerName: details[providerNameDetail] ?? null,
  acr: details[acrDetail] ?? null,
  authenticatedMs: millisecondsIn(details[authenticatedDetail]),
});

/** Which part of a requirement a session misses. */
export type UnmetRequirement = 'other_provider' | 'other_authentication_context' | 'authentication_too_old';

export interface RequirementMoment {
  readonly nowMs: number;
  /** The tolerance for the clock of the session's provider. */
  readonly clockSkewMs: number;
}

/** What an authentication misses; null: it meets the requirement. What the provider did not state is missing. */
export const unmetRequirement = (
  { providerName, acr, authenticatedMs }: SessionAuthentication,
  { provider, acrValues, maxAgeSecs }: SessionRequirement,
  { nowMs, clockSkewMs }: RequirementMoment,
): UnmetRequirement | null => {
  if (provider !== null && providerName !== provider) return 'other_provider';
  if (acrValues.length > 0 && (acr === null || !acrValues.includes(acr))) return 'other_authentication_context';
  if (maxAgeSecs === null) return null;
  if (authenticatedMs === null || authenticatedMs - clockSkewMs > nowMs) return 'authentication_too_old';
  return nowMs <= authenticatedMs + maxAgeSecs * 1000 + clockSkewMs ? null : 'authentication_too_old';
};

/** How long after a sign-on a redirect back to its page may take. */
export const signOnRoundMs = 30_000;

/**
 * Whether a session comes from a sign-on that the agent asked for on account of this page, just now. If the session
 * still does not meet the requirement of the page, another sign-on would redirect without end.
 *
 * @param pageHash SHA-256 of the path of the page
 */
export const isOfThisRound = (
  { details, createdMs }: Pick<Session, 'details' | 'createdMs'>,
  pageHash: string,
  nowMs: number,
): boolean => details[pageDetail] === pageHash && Math.abs(nowMs - createdMs) < signOnRoundMs;
