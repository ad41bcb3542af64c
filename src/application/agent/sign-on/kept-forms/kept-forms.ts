import { isBrowserNavigation, isOwnFormPost } from '../../../../domain/agent/sign-on/browser-navigation.js';
import { ownOrigin } from '../../../../domain/agent/sign-on/cross-site-request.js';
import { choiceOctets, keptFormOctets } from '../../../../domain/agent/sign-on/kept-form.js';
import type { PathProtection } from '../../../../domain/agent/sign-on/protected-paths.js';
import { returnTarget } from '../../../../domain/agent/sign-on/return-target.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { firstHeader } from '../../../../domain/http/header-list.js';
import { type MaybePromise, thenMaybe } from '../../../ports/shared/maybe-promise.js';
import { formHeadFault } from '../../agent-service/form-buffer.js';
import type { RequestedForm } from '../../agent-service/posted-forms.js';
import type { SessionCheckResult } from '../../sessions/session-check-result.js';
import { ConfirmForm } from './confirm-form.js';
import { KeepForm } from './keep-form.js';
import type { KeptFormServices } from './kept-form-services.js';

/** An answer, or a body that must be read before there is one. */
export type KeptFormDecision =
  | { readonly kind: 'answer'; readonly answer: AgentAnswer }
  | { readonly kind: 'form'; readonly form: RequestedForm };

const answered = (answer: AgentAnswer): KeptFormDecision => ({ kind: 'answer', answer });

/**
 * Keeps posted forms during a sign-on. It receives decided answers. In place of a refusal it can begin a sign-on; in
 * place of an accepted request it can show the confirmation page. It never accepts a refused request.
 */
export class KeptForms {
  readonly #parts: KeptFormServices;
  readonly #keep: KeepForm;
  readonly #confirm: ConfirmForm;

  constructor(parts: KeptFormServices) {
    this.#parts = parts;
    this.#keep = new KeepForm(parts);
    this.#confirm = new ConfirmForm(parts);
  }

  /** @param protection that of the path by the ways to sign on */
  consider(
    event: RequestHeadersEvent,
    answer: AgentAnswer,
    protection: PathProtection,
  ): MaybePromise<KeptFormDecision> {
    const { decision, needsMore } = answer;
    if (protection !== 'protected' || needsMore) return answered(answer);
    if (decision.kind === 'block' && decision.status === 401) return this.#ofRefused(event, answer);
    return decision.kind === 'allow' ? this.#ofAccepted(event, answer) : answered(answer);
  }

  /** Asks for the form if the session of its sender has ended. */
  #ofRefused(event: RequestHeadersEvent, refusal: AgentAnswer): MaybePromise<KeptFormDecision> {
    const { cookies, signOn, secretHeaders } = this.#parts;
    const origin = ownOrigin(event);
    const sessionId = cookies.onlySessionId(event.headers);
    if (origin === null || sessionId === null) return answered(refusal);
    if (!isOwnFormPost(event.method, event.headers, origin, secretHeaders)) return answered(refusal);
    if (formHeadFault(event.headers, keptFormOctets) !== null) return answered(refusal);
    // The form must be sent to the same URL again.
    if (returnTarget(event.uri) !== event.uri || !signOn.returnsTo(event)) return answered(refusal);
    return thenMaybe(this.#parts.sessions.check(sessionId), ({ kind }) => {
      if (kind !== 'unknown' && kind !== 'expired') return answered(refusal);
      return { kind: 'form', form: this.#keep.requestedForm(event, { origin, sessionId }, refusal) };
    });
  }

  /** Asks a browser with a kept form about it, or reads its choice. */
  #ofAccepted(event: RequestHeadersEvent, accepted: AgentAnswer): MaybePromise<KeptFormDecision> {
    const { cookies, sessions, secretHeaders } = this.#parts;
    const { method, headers } = event;
    if (method !== 'GET' && method !== 'POST') return answered(accepted);
    const secret = cookies.keptForm(headers);
    const origin = secret === null ? null : ownOrigin(event);
    const sessionId = origin === null ? null : cookies.onlySessionId(headers);
    if (secret === null || origin === null || sessionId === null) return answered(accepted);
    const mayBeChoice = isOwnFormPost(method, headers, origin, secretHeaders) && hasOctets(event, choiceOctets);
    if (!mayBeChoice && !(method === 'GET' && isBrowserNavigation(method, headers, secretHeaders))) {
      return answered(accepted);
    }
    return thenMaybe(sessions.check(sessionId), (checked: SessionCheckResult): MaybePromise<KeptFormDecision> => {
      if (checked.kind !== 'active') return answered(accepted);
      const shown = { secret, origin, user: checked.session };
      if (mayBeChoice) return { kind: 'form', form: this.#confirm.requestedForm(event, shown, accepted) };
      return this.#confirm.answer(event, shown, accepted).then(answered);
    });
  }
}

/** Browsers send the length of every form. */
const hasOctets = ({ headers }: RequestHeadersEvent, octets: number): boolean =>
  formHeadFault(headers, octets) === null && firstHeader(headers, 'content-length') === String(octets);
