import { logoutUrl } from '../../../../domain/agent/oidc/logout-request.js';
import { idTokenDetail } from '../../../../domain/agent/oidc/session-of-id-token.js';
import type { Session } from '../../../../domain/agent/sessions/session.js';
import { remarkText } from '../../../../domain/agent-protocol/audit-remarks.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import type { AgentAnswer, HeaderOperation, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import { redirectAnswer, signedOutAnswer } from '../shared/sign-on-answers.js';
import type { OidcLogin } from './oidc-login.js';
import type { OidcRefusals } from './oidc-refusal.js';
import type { LoginServices } from './oidc-sign-on-options.js';

interface EndedSession {
  /** The secret that was in the cookie. */
  readonly id: string;
  readonly session: Session;
}

/**
 * Signs a browser out: ends every session whose cookie it presents, then sends it to the provider, so that the session
 * there ends too (OpenID Connect RP-Initiated Logout 1.0).
 */
export class SignOut {
  readonly #logins: readonly OidcLogin[];
  readonly #parts: LoginServices;

  constructor(logins: readonly OidcLogin[], parts: LoginServices) {
    this.#logins = logins;
    this.#parts = parts;
  }

  /** @param login the one whose page follows if no session ended here */
  async signOut(event: RequestHeadersEvent, login: OidcLogin): Promise<AgentAnswer> {
    const { cookies, sessions } = this.#parts;
    const shown = cookies.allSessionIds(event.headers);
    if (shown === null) {
      const detail = 'the request has too many session cookies';
      return login.refusals.refuse(event, { reason: 'malformed_form', detail }, 'sign-out');
    }
    const ended: EndedSession[] = [];
    for (const id of shown) {
      const result = await sessions.end(id);
      // The cookie stays, so that the browser can retry.
      if (!result.ok) return storeFailed(event, login.refusals, result.error.reason);
      if (result.value === null) continue;
      ended.push({ id, session: result.value });
      this.#noteEnd(event, result.value);
    }
    const answer = this.#leave(ended, login, cookies.clearSession(event.headers));
    const [first] = ended;
    const about =
      first === undefined ? {} : { subject: remarkText(first.session.userId), auth_method: first.session.method };
    return withRemarks(answer, { event: 'sign_out', outcome: 'succeeded', ...about });
  }

  /** The next page: that of the provider, then `post-logout-url`, then a page of the agent. */
  #leave(ended: readonly EndedSession[], login: OidcLogin, operations: readonly HeaderOperation[]): AgentAnswer {
    for (const { id, session } of ended) {
      const own = this.#logins.find(({ provider }) => session.method === 'oidc' && session.provider === provider);
      const url = own === undefined ? null : this.#urlAtProvider(own, id, session);
      if (url !== null) return redirectAnswer(url, operations);
      if (own !== undefined) return localAnswer(own, operations);
    }
    return localAnswer(login, operations);
  }

  /** Null: the provider has no endpoint for it. */
  #urlAtProvider({ options, endSessionUrl }: OidcLogin, id: string, { details }: Session): string | null {
    if (endSessionUrl === null) return null;
    const { secrets, random } = this.#parts;
    const sealed = details[idTokenDetail];
    return logoutUrl(endSessionUrl, {
      clientId: options.clientId,
      idToken: sealed === undefined ? null : secrets.open(id, idTokenDetail, sealed),
      postLogoutUrl: options.postLogoutUrl,
      state: random.token(),
    });
  }

  #noteEnd(event: RequestHeadersEvent, { userId, idHash }: Session): void {
    this.#parts.logger.info('session ended by its user', {
      user: userId,
      session: idHash.slice(0, 12),
      trace_id: eventTraceId(event),
      correlation_id: event.correlationId,
    });
  }
}

const localAnswer = ({ options }: OidcLogin, operations: readonly HeaderOperation[]): AgentAnswer =>
  options.postLogoutUrl === null
    ? signedOutAnswer(null, operations)
    : redirectAnswer(options.postLogoutUrl, operations);

const storeFailed = (event: RequestHeadersEvent, refusals: OidcRefusals, detail: string): AgentAnswer =>
  refusals.refuse(event, { reason: 'store_unavailable', detail }, 'sign-out');
