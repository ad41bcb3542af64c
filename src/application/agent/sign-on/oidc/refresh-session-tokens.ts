import { isBearerToken } from '../../../../domain/agent/identity/authorization-credential.js';
import type { RefreshedTokens } from '../../../../domain/agent/oidc/endpoint-response.js';
import type { ProviderMetadata } from '../../../../domain/agent/oidc/provider-metadata.js';
import {
  type FinalRefreshFailure,
  finalRefreshFailures,
  type RetryableRefreshFailure,
  refreshTokenDetail,
  withoutTokenDetails,
} from '../../../../domain/agent/oidc/token-refresh.js';
import type { Session } from '../../../../domain/agent/sessions/session.js';
import { claimDetails, sessionIdentity } from '../../../../domain/agent/sessions/session-identity.js';
import type { Claims } from '../../../../domain/agent/tokens/claims.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import { readyProvider } from './discovery/ready-provider.js';
import type { PreparedLogin } from './oidc-sign-on-options.js';
import type { ProviderTokenEndpoint, TokenEndpointFailure } from './provider-token-endpoint.js';
import { sealTokens } from './session-tokens.js';
import type { RefreshContext, VerifyTokens } from './verify-tokens.js';

interface FailedRefresh {
  readonly kind: 'failed';
  readonly reason: RetryableRefreshFailure;
  /** One clause for the log; null: none. */
  readonly detail: string | null;
  /** The details of the session, with a new refresh token if the provider has sent one. */
  readonly details: Session['details'];
}

interface EndingRefresh {
  readonly kind: 'ends';
  readonly reason: FinalRefreshFailure;
}

/** What the provider answered. */
export type RefreshOutcome =
  /** `details`: the new details of the session. */
  { readonly kind: 'refreshed'; readonly details: Session['details'] } | EndingRefresh | FailedRefresh;

/** Reasons of the verification that are about the user. */
const userReasons: ReadonlySet<string> = new Set(['email_not_verified', 'domain_not_allowed', 'unusable_user_id']);

const verificationReason = (reason: string): FinalRefreshFailure | RetryableRefreshFailure => {
  if (reason === 'other_subject') return reason;
  if (userReasons.has(reason)) return 'user_refused';
  if (reason === 'cancelled') return 'timed_out';
  if (reason === 'provider_unavailable') return reason;
  return reason === 'userinfo_failed' || reason === 'wrong_userinfo_subject' ? 'userinfo_failed' : 'id_token_refused';
};

const endpointReason = ({ reason }: TokenEndpointFailure): FinalRefreshFailure | RetryableRefreshFailure => {
  if (reason === 'code_refused') return 'invalid_grant';
  return reason === 'cancelled' ? 'timed_out' : reason;
};

const isEnding = (reason: FinalRefreshFailure | RetryableRefreshFailure): reason is FinalRefreshFailure =>
  finalRefreshFailures.some((ending) => ending === reason);

const outcomeOf = (
  reason: FinalRefreshFailure | RetryableRefreshFailure,
  detail: string | null,
  details: Session['details'],
): EndingRefresh | FailedRefresh =>
  isEnding(reason) ? { kind: 'ends', reason } : { kind: 'failed', reason, detail, details };

/** Refreshes the tokens of sessions of one login (RFC 6749, section 6; OpenID Connect Core, section 12). */
export class RefreshSessionTokens {
  readonly #parts: PreparedLogin;
  readonly #tokens: ProviderTokenEndpoint;
  readonly #verify: VerifyTokens;

  constructor(parts: PreparedLogin, tokens: ProviderTokenEndpoint, verify: VerifyTokens) {
    this.#parts = parts;
    this.#tokens = tokens;
    this.#verify = verify;
  }

  /** Asks the provider. The caller has the refresh lease of the session. Never rejects. */
  async refresh(sessionId: string, session: Session, cancellation: Cancellation): Promise<RefreshOutcome> {
    const { secrets, clock, options } = this.#parts;
    const { details } = session;
    const ready = readyProvider(this.#parts);
    if (!ready.ok) return outcomeOf('provider_unavailable', ready.error, details);
    const sealed = details[refreshTokenDetail] ?? '';
    const refreshToken = secrets.open(sessionId, refreshTokenDetail, sealed);
    if (refreshToken === null) return { kind: 'ends', reason: 'unreadable_token' };
    const fromMs = clock.wallMs();
    const answer = await this.#tokens.refresh(ready.value, refreshToken, cancellation);
    if (!answer.ok) return outcomeOf(endpointReason(answer.error), answer.error.detail, details);
    const tokens = answer.value;
    const forwards = options.forwardsAccessToken;
    // The provider may have spent the former refresh token, whatever becomes of its answer.
    const rotated = {
      ...details,
      ...(tokens.refreshToken !== null && {
        [refreshTokenDetail]: secrets.seal(sessionId, refreshTokenDetail, tokens.refreshToken),
      }),
    };
    if (forwards && !isBearerToken(tokens.accessToken)) {
      return outcomeOf('malformed_token_response', 'the access token cannot be sent in Authorization', rotated);
    }
    const claims = await this.#claims(session, tokens, ready.value, fromMs, cancellation);
    if (!claims.ok) return outcomeOf(claims.error.reason, claims.error.detail, rotated);
    return {
      kind: 'refreshed',
      details: {
        ...withoutTokenDetails(details),
        ...(claims.value !== null && claimDetails(claims.value)),
        ...sealTokens(secrets, { sessionId, tokens, fromMs, forwards, formerRefreshToken: sealed }),
      },
    };
  }

  /** The new claims of the session; null: they stay, because there is no ID token. */
  async #claims(
    session: Session,
    { idToken, accessToken }: RefreshedTokens,
    { userinfoUrl }: ProviderMetadata,
    requestedMs: number,
    cancellation: Cancellation,
  ): Promise<
    Result<
      Claims | null,
      { readonly reason: FinalRefreshFailure | RetryableRefreshFailure; readonly detail: string | null }
    >
  > {
    if (idToken === null) return ok(null);
    const context: RefreshContext = { before: sessionIdentity(session).claims ?? {}, requestedMs, userinfoUrl };
    const user = await this.#verify.verifyRefreshed({ idToken, accessToken }, context, cancellation);
    if (!user.ok) {
      const { reason, detail } = user.error;
      return err({ reason: verificationReason(reason), detail: detail ?? reason });
    }
    // The store finds a session by its user id, so another one needs another session.
    if (user.value.userId !== session.userId) return err({ reason: 'user_refused', detail: null });
    return ok(user.value.claims);
  }
}
