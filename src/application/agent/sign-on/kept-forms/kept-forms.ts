import { isBrowserNavigation, isOwnFormPost } from '../../../../domain/agent/sign-on/browser-navigation.js';
import { ownOrigin } from '../../../../domain/agent/sign-on/cross-site-request.js';
import { choiceOctets, keptFormOctets } from '../../../../domain/agent/sign-on/kept-form.js';
import type { PathProtection } from '../../../../domain/agent/sign-on/protected-paths.js';
import { returnTarget } from '../../../../domain/agent/sign-on/return-target.js';
import type { AgentAnswer, RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import { firstHeader } from '../../../../domain/http/header-list.js';
import { type MaybePromise, thenMaybe } from '../../../ports/shared/maybe-promise.js';
import { formHeadFault } from '../../agent-service/form-buffer.js';
import type { WantedForm } from '../../agent-service/posted-forms.js';
import type { SessionCheckResult } from '../../sessions/session-check-result.js';
import { KeepForm } from './keep-form.js';
import type { KeptFormServices } from './kept-form-services.js';
import { OfferForm } from './offer-form.js';

/** An answer, or a body that must be read before there is one. */
export type Considered =
  | { readonly kind: 'answer'; readonly answer: AgentAnswer }
  | { readonly kind: 'form'; readonly form: WantedForm };

const answered = (answer: AgentAnswer): Considered => ({ kind: 'answer', answer });

/**
 * Keeps forms over a sign-on. It looks at answers that were decided already: a refusal may become the begin of a
 * sign-on, and an accepted request may get the page that asks about the form. It lets no request pass that was refused.
 */
export class KeptForms {
  readonly #parts: KeptFormServices;
  readonly #keep: KeepForm;
  readonly #offer: OfferForm;

  constructor(parts: KeptFormServices) {
    this.#parts = parts;
    this.#keep = new KeepForm(parts);
    this.#offer = new OfferForm(parts);
  }

  /** @param protection that of the path by the ways to sign on */
  consider(event: RequestHeadersEvent, answer: AgentAnswer, protection: PathProtection): MaybePromise<Considered> {
    const { decision, needsMore } = answer;
    if (protection !== 'protected' || needsMore) return answered(answer);
    if (decision.kind === 'block' && decision.status === 401) return this.#ofRefused(event, answer);
    return decision.kind === 'allow' ? this.#ofAccepted(event, answer) : answered(answer);
  }

  /** Asks for the form if the session of its sender has ended. */
  #ofRefused(event: RequestHeadersEvent, refusal: AgentAnswer): MaybePromise<Considered> {
    const { cookies, signOn, secretHeaders } = this.#parts;
    const origin = ownOrigin(event);
    const sessionId = cookies.onlySessionId(event.headers);
    if (origin === null || sessionId === null) return answered(refusal);
    if (!isOwnFormPost(event.method, event.headers, origin, secretHeaders)) return answered(refusal);
    if (formHeadFault(event.headers, keptFormOctets) !== null) return answered(refusal);
    // The form must be sent to the very same URL again.
    if (returnTarget(event.uri) !== event.uri || !signOn.returnsTo(event)) return answered(refusal);
    return thenMaybe(this.#parts.sessions.check(sessionId), ({ kind }) => {
      if (kind !== 'unknown' && kind !== 'expired') return answered(refusal);
      return { kind: 'form', form: this.#keep.wanted(event, { origin, sessionId }, refusal) };
    });
  }

  /** Asks a browser with a kept form about it, or reads its choice. */
  #ofAccepted(event: RequestHeadersEvent, accepted: AgentAnswer): MaybePromise<Considered> {
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
    return thenMaybe(sessions.check(sessionId), (checked: SessionCheckResult): MaybePromise<Considered> => {
      if (checked.kind !== 'active') return answered(accepted);
      const shown = { secret, origin, user: checked.session };
      if (mayBeChoice) return { kind: 'form', form: this.#offer.wanted(event, shown, accepted) };
      return this.#offer.answer(event, shown, accepted).then(answered);
    });
  }
}

/** Browsers send the length of every form. */
const hasOctets = ({ headers }: RequestHeadersEvent, octets: number): boolean =>
  formHeadFault(headers, octets) === null && firstHeader(headers, 'content-length') === String(octets);
