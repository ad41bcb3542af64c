import { readLogoutToken } from '../../../../domain/agent/oidc/checks/logout-token-checks.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import { type AgentAnswer, allowAnswer, type RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { parseForm } from '../../../../domain/shared/form-urlencoded.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import { withNoStore } from '../../agent-service/refusal.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import { type ReadToken, readToken } from '../../verify-tokens/token-verdict.js';
import { endSessionsOnce } from '../shared/end-sessions-once.js';
import type { OidcLogin } from './oidc-login.js';
import type { RefusedOidc } from './oidc-refusal.js';
import type { LoginServices } from './oidc-sign-on-options.js';

const answerOf = (status: 200 | 400, body: string): AgentAnswer =>
  withNoStore({
    ...allowAnswer,
    decision: { kind: 'block', status, body, headers: ['Content-Type', 'application/json'] },
  });

/** Failed logouts are 400 too (OpenID Connect Back-Channel Logout 1.0, section 2.8). The reason is in the log. */
const refusedAnswer = withRemarks(answerOf(400, '{"error":"invalid_request"}'), {
  event: 'sign_out',
  outcome: 'failed',
  auth_method: 'oidc',
});

const followedAnswer = withRemarks(answerOf(200, '{}'), {
  event: 'sign_out',
  outcome: 'succeeded',
  auth_method: 'oidc',
});

const refused = (reason: RefusedOidc['reason'], detail: string | null = null): Result<never, RefusedOidc> =>
  err({ reason, detail });

/** Ends the sessions that a provider names in a logout token (OpenID Connect Back-Channel Logout 1.0). */
export class FollowLogoutToken {
  readonly #logins: readonly OidcLogin[];
  readonly #parts: LoginServices;

  constructor(logins: readonly OidcLogin[], parts: LoginServices) {
    this.#logins = logins;
    this.#parts = parts;
  }

  /** @param path a back-channel path of at least one login */
  async follow(
    event: RequestHeadersEvent,
    path: string,
    form: Uint8Array,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const fields = parseForm(form);
    const text = fields.ok ? fields.value.get('logout_token') : undefined;
    if (text === undefined) return this.refuse(event, path, { reason: 'malformed_form', detail: null });
    const read = readToken(text);
    if (!read.ok) return this.refuse(event, path, { reason: read.error, detail: null });
    const followed = await this.#follow(event, path, read.value, cancellation);
    return followed.ok ? followedAnswer : this.refuse(event, path, followed.error);
  }

  /** Answers a request that ends no session. */
  refuse(event: RequestHeadersEvent, path: string, refusal: RefusedOidc): AgentAnswer {
    const login = this.#logins.find(({ options }) => options.backchannelLogoutPath === path) ?? this.#logins[0];
    login?.refusals.note(event, refusal, 'sign-out');
    return refusedAnswer;
  }

  /** Logins of one issuer have different clients or sessions of their own, so each reads the token. */
  async #follow(
    event: RequestHeadersEvent,
    path: string,
    read: ReadToken,
    cancellation: Cancellation,
  ): Promise<Result<void, RefusedOidc>> {
    // The issuer is not verified yet: it only selects the keys that must verify it.
    const logins = this.#logins.filter(
      ({ options }) => options.backchannelLogoutPath === path && options.issuer === read.payload['iss'],
    );
    let result: Result<void, RefusedOidc> = refused('unknown_issuer');
    for (const login of logins) {
      const own = await this.#followAt(login, event, read, cancellation);
      if (!result.ok) result = own;
      else if (!own.ok && own.error.reason !== 'wrong_audience') return own;
    }
    return result;
  }

  async #followAt(
    login: OidcLogin,
    event: RequestHeadersEvent,
    read: ReadToken,
    cancellation: Cancellation,
  ): Promise<Result<void, RefusedOidc>> {
    const { sessions, replays, digest, clock, logger } = this.#parts;
    const verdict = await login.verifyLogoutToken(read, cancellation);
    if (verdict.kind === 'cancelled') return refused('cancelled');
    if (verdict.kind === 'undecided') return refused('provider_unavailable');
    if (verdict.kind === 'failed') return refused(verdict.reason);
    const nowMs = clock.wallMs();
    const token = readLogoutToken(verdict.claims, { ...login.options, nowMs });
    if (!token.ok) return refused(token.error);
    const { id, untilMs, subject, session } = token.value;
    const key = digest.sha256Hex(`logout token\n${login.provider}\n${id}`);
    const ended = await endSessionsOnce(replays, { key, untilMs, nowMs }, () =>
      sessions.endOfSubject({
        method: 'oidc',
        provider: login.provider,
        subject,
        sessionIndexes: session === null ? [] : [session],
      }),
    );
    if (!ended.ok) {
      return ended.error === 'replayed' ? refused('replayed') : refused('store_unavailable', ended.error.reason);
    }
    logger.info('sessions ended by the identity provider', {
      login: login.name,
      sessions: ended.value.length,
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
    });
    return ok(undefined);
  }
}
