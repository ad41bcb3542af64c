import { callbackOfForm, callbackOfUri, type OidcCallback } from '../../../../domain/agent/oidc/callback.js';
import { readLoginRequestId } from '../../../../domain/agent/oidc/pending-login.js';
import type { SignOnRequest } from '../../../../domain/agent/sign-on/sign-on-request.js';
import { type AgentAnswer, allowAnswer, type RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import type { Result } from '../../../../domain/shared/result.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import type { AgentEndpoint } from '../../agent-service/agent-endpoints.js';
import { formHeadFault } from '../../agent-service/form-buffer.js';
import type { RefusedForm } from '../../agent-service/posted-forms.js';
import { formRefusal, methodNotAllowed } from '../../agent-service/refusal.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import { overPage } from '../shared/sign-on-answers.js';
import { AnsweredLogins } from './answered-logins.js';
import type { OidcLogin } from './oidc-login.js';
import type { LoginServices } from './oidc-sign-on-options.js';

/** The reasons in logs and metrics for forms that the agent did not receive. */
const formReasons = { too_large: 'form_too_large', dropped: 'form_timeout', overloaded: 'overloaded' } as const;

const wantsForm: AgentAnswer = { ...allowAnswer, needsMore: true };

/** A state of this agent: other texts need no query. */
const stateLength = 43;

/** The callback paths of all logins of an agent. */
export class OidcEndpoints implements AgentEndpoint {
  readonly paths: readonly string[];
  /** Fits a code, a state and the parameters of a provider. */
  readonly formOctets = 32_768;
  readonly #logins: readonly OidcLogin[];
  readonly #parts: LoginServices;
  readonly #answered: AnsweredLogins;

  /** @param logins at least one, with distinct names */
  constructor(logins: readonly OidcLogin[], parts: LoginServices) {
    this.paths = [...new Set(logins.map(({ callbackPath }) => callbackPath))];
    this.#logins = logins;
    this.#parts = parts;
    this.#answered = new AnsweredLogins(parts);
  }

  answer(event: RequestHeadersEvent, path: string, cancellation: Cancellation): AgentAnswer | Promise<AgentAnswer> {
    const { method } = event;
    const logins = this.#loginsAt(path);
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
    const login = this.#logins.find(({ callbackPath }) => callbackPath === path);
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
    if (request === null || pending === null || login === undefined)
      return this.#again(event, path, callback, cancellation);
    const secret = this.#secretOf(event, request);
    if (secret === null) return login.refusals.refuse(event, { reason: 'other_browser', detail: null });
    const loginsOfPath = this.#loginsAt(path).map(({ name }) => name);
    const own = { request, pending, loginsOfPath, secret };
    const answer = await login.complete(event, callback, own, cancellation);
    return answer ?? this.#again(event, path, callback, cancellation);
  }

  /** The secret of the binding cookie of this sign-on; null: another browser began it. */
  #secretOf(event: RequestHeadersEvent, { handleHash, bindingHash }: SignOnRequest): string | null {
    const { cookies, digest } = this.#parts;
    const secret = cookies.binding(event.headers, handleHash);
    if (secret === null || bindingHash === null) return null;
    return digest.equal(digest.sha256Hex(secret), bindingHash) ? secret : null;
  }

  /** Answers a callback without a pending sign-on: it came before, or its time is over. */
  async #again(
    event: RequestHeadersEvent,
    path: string,
    { state, answer }: OidcCallback,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const refusals = this.#refusalsAt(path);
    if (answer.kind === 'code') {
      const again = await this.#answered.answerAgain(event, { state, code: answer.code }, cancellation);
      if (!again.ok) return refusals.refuse(event, { reason: 'store_unavailable', detail: again.error.reason });
      if (again.value !== null) {
        refusals.note(event, { reason: 'replayed', detail: null });
        return withRemarks(again.value, { event: 'sign_on', outcome: 'failed', auth_method: 'oidc' });
      }
    }
    refusals.note(event, { reason: 'unknown_request', detail: null });
    return withRemarks(overPage(), { event: 'sign_on', outcome: 'failed', auth_method: 'oidc' });
  }
}
