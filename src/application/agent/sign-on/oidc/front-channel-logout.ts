import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import { type AgentAnswer, allowAnswer, type RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { urlParts } from '../../../../domain/http/absolute-uri.js';
import { parseQuery } from '../../../../domain/shared/form-urlencoded.js';
import { withNoStore } from '../../agent-service/refusal.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import { page } from '../shared/sign-on-answers.js';
import type { OidcLogin } from './oidc-login.js';
import type { LoginServices } from './oidc-sign-on-options.js';

const html = page('<title>Signed out</title>\n', '<p>Signed out.</p>\n');

/** The page that a provider loads in a frame. Only the origin of its issuer may frame it. */
const framedAnswer = (issuer: string): AgentAnswer =>
  withNoStore({
    ...allowAnswer,
    decision: {
      kind: 'block',
      status: 200,
      body: html,
      headers: [
        ...['Content-Type', 'text/html; charset=utf-8'],
        ...[
          'Content-Security-Policy',
          `default-src 'none'; base-uri 'none'; frame-ancestors ${urlParts(issuer).origin}`,
        ],
        ...['X-Content-Type-Options', 'nosniff'],
        ...['Referrer-Policy', 'no-referrer'],
      ],
    },
  });

/**
 * Ends the session that a provider names by `iss` and `sid` in a frame of the browser (OpenID Connect Front-Channel
 * Logout 1.0, section 2). Browsers withhold cookies in frames of other sites, so the names alone decide.
 */
export class FrontChannelLogout {
  readonly #logins: readonly OidcLogin[];
  readonly #parts: LoginServices;

  constructor(logins: readonly OidcLogin[], parts: LoginServices) {
    this.#logins = logins;
    this.#parts = parts;
  }

  /** @param path a front-channel path of at least one login. The answer does not reveal whether a session ended. */
  async end(event: RequestHeadersEvent, path: string): Promise<AgentAnswer> {
    const atPath = this.#logins.filter(({ options }) => options.frontchannelLogoutPath === path);
    const first = atPath[0] as OidcLogin;
    const mark = event.uri.indexOf('?');
    const query = parseQuery(mark < 0 ? '' : event.uri.slice(mark + 1));
    const iss = query.ok ? query.value.get('iss')?.value : undefined;
    const sid = query.ok ? query.value.get('sid')?.value : undefined;
    if (iss === undefined || sid === undefined || sid === '') {
      return first.refusals.refuse(event, { reason: 'malformed_form', detail: null }, 'sign-out');
    }
    const logins = atPath.filter(({ options }) => options.issuer === iss);
    const [named] = logins;
    if (named === undefined) {
      return first.refusals.refuse(event, { reason: 'unknown_issuer', detail: null }, 'sign-out');
    }
    const { sessions, logger } = this.#parts;
    let count = 0;
    for (const { provider, refusals } of logins) {
      const ended = await sessions.endOfSubject({ method: 'oidc', provider, subject: null, sessionIndexes: [sid] });
      if (!ended.ok) {
        return refusals.refuse(event, { reason: 'store_unavailable', detail: ended.error.reason }, 'sign-out');
      }
      count += ended.value.length;
    }
    logger.info('sessions ended by the identity provider', {
      login: named.name,
      sessions: count,
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
    });
    return withRemarks(framedAnswer(iss), { event: 'sign_out', outcome: 'succeeded', auth_method: 'oidc' });
  }
}
