import { callbackOfForm, callbackOfUri, type OidcCallback } from '../../../../domain/agent/oidc/callback.js';
import { readLoginRequestId } from '../../../../domain/agent/oidc/pending-login.js';
import type { Session } from '../../../../domain/agent/sessions/session.js';
import type { SignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
import { remarkText } from '../../../../domain/agent-protocol/audit-remarks.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import { type AgentAnswer, allowAnswer, type RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import type { Result } from '../../../../domain/shared/result.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import type { AgentEndpoint } from '../../agent-service/agent-endpoints.js';
import { formHeadFault } from '../../agent-service/form-buffer.js';
import type { RefusedForm } from '../../agent-service/posted-forms.js';
import { formRefusal, methodNotAllowed, undecidedAnswer, withNoStore } from '../../agent-service/refusal.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import { overPage, signedOutAnswer } from '../shared/sign-on-answers.js';
import { AnsweredLogins } from './answered-logins.js';
import type { OidcLogin } from './oidc-login.js';
import type { LoginServices } from './oidc-sign-on-options.js';

/** The reasons in logs and metrics for forms that the agent did not receive. */
const formReasons = { too_large: 'form_too_large', dropped: 'form_timeout', overloaded: 'overloaded' } as const;

const wantsForm: AgentAnswer = { ...allowAnswer, needsMore: true };

/** A state of this agent: other texts need no query. */
const stateLength = 43;

/** The callback and logout paths of all logins of an agent. */
export class OidcEndpoints implements AgentEndpoint {
  readonly paths: readonly string[];
  /** Fits a code, a state and the parameters of a provider. */
  readonly formOctets = 32_768;
  readonly #logins: readonly OidcLogin[];
  readonly #parts: LoginServices;
  readonly #answered: AnsweredLogins;

  /** @param logins at least one, with distinct names */
  constructor(logins: readonly OidcLogin[], parts: LoginServices) {
    this.paths = [...new Set(logins.flatMap(({ callbackPath, logoutPath }) => [callbackPath, logoutPath]))];
    this.#logins = logins;
    this.#parts = parts;
    this.#answered = new AnsweredLogins(parts);
  }

  answer(event: RequestHeadersEvent, path: string, cancellation: Cancellation): AgentAnswer | Promise<AgentAnswer> {
    const { method } = event;
    const logins = this.#loginsAt(path);
    if (logins.length === 0) {
      return method === 'GET' ? this.#signOut(event, path) : methodNotAllowed(event, 'GET');
    }
    const takesForms = logins.some((login) => login.takesForms);
    // A HEAD request would spend the code.
    if (method === 'GET') return this.#callback(event, path, callbackOfUri(event.uri), cancellation);
    if (method !== 'POST' || !takesForms) return methodNotAllowed(event, takesForms ? 'GET, POST' : 'GET');
    const fault = formHeadFault(event.headers, this.formOctets);
    if (fault === null) return wantsForm;
    if (fault === 'too_large') return this.refuseForm({ kind: fault, event }, path);
    return this.#refusalsAt(path).refuse(event, { reason: 'malformed_form', detail: null });
  }

  async answerForm(
    event: RequestHeadersEvent,
    path: string,
    form: Uint8Array,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    // The endpoints may have changed since the request began.
    if (this.#loginsAt(path).length === 0) return withNoStore(undecidedAnswer(event));
    return this.#callback(event, path, callbackOfForm(form), cancellation);
  }

  refuseForm(form: RefusedForm, path: string): AgentAnswer {
    this.#refusalsAt(path).note(form.event, { reason: formReasons[form.kind], detail: null });
    return formRefusal(form);
  }

  #loginsAt(path: string): readonly OidcLogin[] {
    return this.#logins.filter(({ callbackPath }) => callbackPath === path);
  }

  /** The refusals of the first login with that path. */
  #refusalsAt(path: string) {
    const login = this.#logins.find(({ callbackPath, logoutPath }) => callbackPath === path || logoutPath === path);
    return (login ?? (this.#logins[0] as OidcLogin)).refusals;
  }

  async #callback(
    event: RequestHeadersEvent,
    path: string,
    read: Result<OidcCallback, 'malformed_callback'>,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const refusals = this.#refusalsAt(path);
    if (!read.ok) return refusals.refuse(event, { reason: read.error, detail: null });
    const callback = read.value;
    const { requests, digest, clock } = this.#parts;
    const found =
      callback.state.length === stateLength
        ? await requests.find(digest.sha256Hex(callback.state), clock.wallMs())
        : ({ ok: true, value: null } as const);
    if (!found.ok) return refusals.refuse(event, { reason: 'store_unavailable', detail: found.error.reason });
    const request = found.value;
    const pending = request?.kind === 'sign_on' ? readLoginRequestId(request.requestId) : null;
    const login = this.#logins.find(({ name }) => name === pending?.login);
    if (request === null || pending === null || login === undefined) return this.#unknown(event, path, callback);
    const secret = this.#secretOf(event, request);
    if (secret === null) return login.refusals.refuse(event, { reason: 'other_browser', detail: null });
    const loginsOfPath = this.#loginsAt(path).map(({ name }) => name);
    return login.complete(event, callback, { request, pending, loginsOfPath, secret }, cancellation);
  }

  /** The secret of the binding cookie of this sign-on; null: another browser began it. */
  #secretOf(event: RequestHeadersEvent, { handleHash, bindingHash }: SignOnRequest): string | null {
    const { cookies, digest } = this.#parts;
    const secret = cookies.binding(event.headers, handleHash);
    if (secret === null || bindingHash === null) return null;
    return digest.equal(digest.sha256Hex(secret), bindingHash) ? secret : null;
  }

  /** Answers a callback without a pending sign-on: it completed one before, or its time is over. */
  async #unknown(event: RequestHeadersEvent, path: string, { state, answer }: OidcCallback): Promise<AgentAnswer> {
    const refusals = this.#refusalsAt(path);
    if (answer.kind === 'code') {
      const again = await this.#answered.answerAgain(event, { state, code: answer.code });
      if (!again.ok) return refusals.refuse(event, { reason: 'store_unavailable', detail: again.error.reason });
      if (again.value !== null) {
        refusals.note(event, { reason: 'replayed', detail: null });
        return withRemarks(again.value, { event: 'sign_on', outcome: 'failed', auth_method: 'oidc' });
      }
    }
    refusals.note(event, { reason: 'unknown_request', detail: null });
    return withRemarks(overPage(), { event: 'sign_on', outcome: 'failed', auth_method: 'oidc' });
  }

  /** Ends every session whose cookie the browser presents, so that the answer "signed out" is true. */
  async #signOut(event: RequestHeadersEvent, path: string): Promise<AgentAnswer> {
    const { cookies, sessions, logger } = this.#parts;
    const refusals = this.#refusalsAt(path);
    const shown = cookies.allSessionIds(event.headers);
    if (shown === null) {
      const detail = 'the request has too many session cookies';
      return refusals.refuse(event, { reason: 'malformed_form', detail }, 'sign-out');
    }
    const ended: Session[] = [];
    for (const sessionId of shown) {
      const result = await sessions.end(sessionId);
      // The cookie stays, so that the browser can retry.
      if (!result.ok) {
        return refusals.refuse(event, { reason: 'store_unavailable', detail: result.error.reason }, 'sign-out');
      }
      if (result.value === null) continue;
      ended.push(result.value);
      logger.info('session ended by its user', {
        user: result.value.userId,
        session: result.value.idHash.slice(0, 12),
        trace_id: eventTraceId(event),
        correlation_id: event.correlationId,
      });
    }
    const [first] = ended;
    const answer = signedOutAnswer(null, cookies.clearSession(event.headers));
    const about = first === undefined ? {} : { subject: remarkText(first.userId), auth_method: first.method };
    return withRemarks(answer, { event: 'sign_out', outcome: 'succeeded', ...about });
  }
}
