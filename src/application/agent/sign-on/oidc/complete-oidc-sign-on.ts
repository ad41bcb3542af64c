import { loginRequirement } from '../../../../domain/agent/configuration/step-up-rules.js';
import { isBearerToken } from '../../../../domain/agent/identity/authorization-credential.js';
import type { OidcCallback } from '../../../../domain/agent/oidc/callback.js';
import { callbackFault } from '../../../../domain/agent/oidc/checks/callback-checks.js';
import type { ReceivedTokens } from '../../../../domain/agent/oidc/endpoint-response.js';
import { codeVerifierText, nonceText, type PendingLogin } from '../../../../domain/agent/oidc/pending-login.js';
import { newOidcSession } from '../../../../domain/agent/oidc/session-of-id-token.js';
import { refreshTokenDetail } from '../../../../domain/agent/oidc/token-refresh.js';
import type { Session } from '../../../../domain/agent/sessions/session.js';
import type { SignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
import { remarkText } from '../../../../domain/agent-protocol/audit-remarks.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import { isCancelled } from '../../../shared/cancellation/cancellation-source.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import { onwardPage, redirectAnswer } from '../shared/sign-on-answers.js';
import { AnsweredLogins } from './answered-logins.js';
import { readyProvider } from './discovery/ready-provider.js';
import type { OidcRefusals, RefusedOidc } from './oidc-refusal.js';
import type { PreparedLogin } from './oidc-sign-on-options.js';
import type { ProviderTokenEndpoint } from './provider-token-endpoint.js';
import { sealTokens } from './session-tokens.js';
import { type AcceptedUser, VerifyTokens } from './verify-tokens.js';

/** A pending sign-on of this browser. */
export interface OwnRequest {
  readonly request: SignOnRequest;
  readonly pending: PendingLogin;
  /** The names of the logins whose callback path the answer came to. */
  readonly loginsOfPath: readonly string[];
  /** The secret of the binding cookie. */
  readonly secret: string;
}

interface OpenedSession {
  /** The secret in the cookie. */
  readonly id: string;
  readonly session: Session;
}

const refused = (reason: RefusedOidc['reason'], detail: string | null = null): Result<never, RefusedOidc> =>
  err({ reason, detail });

/** Whether the tokens are valid, but the user did not authenticate as required. */
const isAboutAuthentication = ({ reason }: RefusedOidc): boolean =>
  reason === 'authentication_not_fresh' || reason === 'wrong_authentication_context';

/** Completes a sign-on of one login: redeems the code, verifies the tokens, opens a session. */
export class CompleteOidcSignOn {
  readonly #parts: PreparedLogin;
  readonly #refusals: OidcRefusals;
  readonly #tokens: ProviderTokenEndpoint;
  readonly #verify: VerifyTokens;
  readonly #answered: AnsweredLogins;

  constructor(parts: PreparedLogin, refusals: OidcRefusals, tokens: ProviderTokenEndpoint) {
    this.#parts = parts;
    this.#refusals = refusals;
    this.#tokens = tokens;
    this.#verify = new VerifyTokens(parts);
    this.#answered = new AnsweredLogins(parts);
  }

  /**
   * `callback` is the answer to `own`, by the state. A cancelled request opens no session. Null: an equal callback came
   * at the same time, and was faster.
   */
  async complete(
    event: RequestHeadersEvent,
    callback: OidcCallback,
    own: OwnRequest,
    cancellation: Cancellation,
  ): Promise<AgentAnswer | null> {
    const outcome = await this.#complete(event, callback, own, cancellation);
    if (outcome.ok) return outcome.value;
    const { handleHash } = own.request;
    const { error } = outcome;
    const { state, answer } = callback;
    if (error.isPending !== true && answer.kind === 'code') {
      await this.#answered.remember({ state, code: answer.code }, own.request, null, event.correlationId);
    }
    const cookies = error.isPending === true ? [] : this.#parts.cookies.clearShownBinding(event.headers, handleHash);
    return this.#refusals.refuse(event, { ...error, cookies });
  }

  async #complete(
    event: RequestHeadersEvent,
    callback: OidcCallback,
    { request, pending, loginsOfPath, secret }: OwnRequest,
    cancellation: Cancellation,
  ): Promise<Result<AgentAnswer | null, RefusedOidc>> {
    const { options, requests, digest, clock, stepUp } = this.#parts;
    const ready = readyProvider(this.#parts);
    if (!ready.ok) return err({ reason: 'provider_unavailable', detail: ready.error, isPending: true });
    const metadata = ready.value;
    // From here on the request is spent: a code is redeemed once.
    const taken = await requests.take(request.handleHash, clock.wallMs());
    if (!taken.ok) return err({ reason: 'store_unavailable', detail: taken.error.reason, isPending: true });
    const requirement = stepUp.requirementFor(loginRequirement(options), request.returnTo);
    const fault = callbackFault(callback, {
      provider: pending.login,
      providersOfPath: loginsOfPath,
      issuer: options.issuer,
      requiresIss: options.requireIss || metadata.sendsIss,
    });
    const { answer, state } = callback;
    if (fault !== null || answer.kind === 'error') {
      const error = answer.kind === 'error' ? answer.error : null;
      const isStepUp =
        fault === 'provider_error' && error === 'unmet_authentication_requirements' && requirement.isForPage;
      const detail = error === null ? null : `the provider reports ${error}`;
      return err({ reason: fault ?? 'provider_error', detail, ...(isStepUp && { isStepUp }) });
    }
    if (taken.value === null) return ok(null);
    const fromMs = clock.wallMs();
    const tokens = await this.#tokens.redeem(
      metadata,
      {
        code: answer.code,
        redirectUri: pending.origin + options.callbackPath,
        codeVerifier: digest.sha256Hex(codeVerifierText(secret, state)),
      },
      cancellation,
    );
    if (!tokens.ok) return err(tokens.error);
    if (options.forwardsAccessToken && !isBearerToken(tokens.value.accessToken)) {
      return refused('malformed_token_response', 'the access token cannot be sent in Authorization');
    }
    const user = await this.#verify.verify(
      tokens.value,
      {
        nonce: digest.sha256Hex(nonceText(secret, state)),
        code: answer.code,
        requestedMs: request.createdMs,
        userinfoUrl: metadata.userinfoUrl,
        requirement,
      },
      cancellation,
    );
    // The session of the browser, if any, stays as it is.
    if (!user.ok)
      return isAboutAuthentication(user.error) && requirement.isForPage ? err({ ...user.error, isStepUp: true }) : user;
    const opened = await this.#open(user.value, request, tokens.value, fromMs, cancellation);
    if (!opened.ok) return opened;
    await this.#endShownSessions(event);
    if (isCancelled(cancellation)) return this.#endAgain(opened.value.id);
    await this.#answered.remember({ state, code: answer.code }, request, opened.value.session, event.correlationId);
    return ok(this.#goOn(event, request, opened.value));
  }

  async #open(
    { userId, claims, idTokenClaims }: AcceptedUser,
    { returnTo }: SignOnRequest,
    tokens: ReceivedTokens,
    fromMs: number,
    cancellation: Cancellation,
  ): Promise<Result<OpenedSession, RefusedOidc>> {
    const { options, sessions, sessionTtlMs, secrets, random, digest, clock, stepUp } = this.#parts;
    if (isCancelled(cancellation)) return refused('cancelled');
    const id = random.token();
    const session = newOidcSession({
      login: options,
      userId,
      claims,
      idTokenClaims,
      clockSkewMs: options.clockSkewMs,
      pageHash: stepUp.pageHash(returnTo),
      sealedTokens: sealTokens(secrets, {
        sessionId: id,
        tokens,
        fromMs,
        forwards: options.forwardsAccessToken,
        formerRefreshToken: null,
      }),
      idHash: digest.sha256Hex(id),
      nowMs: clock.wallMs(),
      ttlMs: sessionTtlMs,
    });
    const opened = await sessions.open(session);
    if (!opened.ok) return refused('store_unavailable', opened.error.reason);
    return isCancelled(cancellation) ? this.#endAgain(id) : ok({ id, session });
  }

  /** Ends a session whose cookie the browser does not get. */
  async #endAgain(id: string): Promise<Result<never, RefusedOidc>> {
    const ended = await this.#parts.sessions.end(id);
    return refused('cancelled', ended.ok ? null : ended.error.reason);
  }

  /** Session rotation: ends the previous sessions of the browser, because the new cookie replaces theirs. */
  async #endShownSessions({ headers, correlationId }: RequestHeadersEvent): Promise<void> {
    const { cookies, sessions, logger } = this.#parts;
    for (const sessionId of cookies.sessionIds(headers)) {
      const ended = await sessions.end(sessionId);
      if (ended.ok) continue;
      const fields = { correlation_id: correlationId, detail: ended.error.reason };
      logger.warn('the previous session could not be ended after a sign-on', fields);
    }
  }

  #goOn(
    event: RequestHeadersEvent,
    { handleHash, returnTo }: SignOnRequest,
    { id, session }: OpenedSession,
  ): AgentAnswer {
    const { options, cookies, outcomes, logger } = this.#parts;
    outcomes.signedOn();
    const name = session.idHash.slice(0, 12);
    logger.info('sign-on completed', {
      login: options.name,
      user: session.userId,
      session: name,
      refreshes: session.details[refreshTokenDetail] !== undefined,
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
    });
    const operations = [...cookies.setSession(event.headers, id, session), cookies.clearBinding(handleHash)];
    const answer = cookies.isStrict ? onwardPage(returnTo, operations) : redirectAnswer(returnTo, operations);
    const subject = remarkText(session.userId);
    return withRemarks(answer, { event: 'sign_on', outcome: 'succeeded', auth_method: 'oidc', subject, session: name });
  }
}
