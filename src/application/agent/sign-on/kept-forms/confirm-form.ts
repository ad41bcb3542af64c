import {
  choiceOctets,
  type FormOwner,
  formOctetsOf,
  type KeptForm,
  type KeptFormContent,
  readChoice,
  readKeptForm,
} from '../../../../domain/agent/sign-on/kept-form.js';
import { eventTraceId } from '../../../../domain/agent-protocol/event-trace-id.js';
import { type AgentAnswer, allowAnswer, type RequestHeadersEvent } from '../../../../domain/agent-protocol/messages.js';
import type { ReceivedForm, RequestedForm } from '../../agent-service/posted-forms.js';
import { formRefusal, undecidedAnswer, withNoStore } from '../../agent-service/refusal.js';
import { withRemarks } from '../../agent-service/with-remarks.js';
import { redirectAnswer } from '../shared/sign-on-answers.js';
import { confirmationPage, formGonePage } from './confirmation-page.js';
import { type KeptFormServices, keptFormUse, ownerMarkOf } from './kept-form-services.js';

/** A signed-on browser with a kept form. */
interface ShownForm {
  /** That of the cookie. */
  readonly secret: string;
  /** That of the request. */
  readonly origin: string;
  readonly user: FormOwner;
}

/** Asks the user to confirm a kept form, and sends it again. */
export class ConfirmForm {
  readonly #parts: KeptFormServices;

  constructor(parts: KeptFormServices) {
    this.#parts = parts;
  }

  /** The page that asks, at the target of the form; at any other page the accepted answer. */
  async answer(event: RequestHeadersEvent, shown: ShownForm, accepted: AgentAnswer): Promise<AgentAnswer> {
    const { forms, digest, clock, cookies } = this.#parts;
    const handleHash = digest.sha256Hex(shown.secret);
    const found = await forms.find(handleHash, clock.wallMs());
    if (!found.ok) return accepted;
    const content = this.#opened(found.value, shown);
    if (content !== null && this.#isOf(content, shown.user)) {
      if (!isFor(content, event, shown)) return accepted;
      const page = confirmationPage(content, this.#token(shown));
      return withRemarks(page, { event: 'endpoint', outcome: 'answered' });
    }
    if (content !== null) {
      await forms.take(handleHash, clock.wallMs());
      this.#log(event, 'a kept form was discarded: another user signed on');
    }
    return { ...accepted, responseHeaders: [...accepted.responseHeaders, cookies.clearKeptForm()] };
  }

  /** Reads the choice of the user. Any other form passes unchanged. */
  requestedForm(event: RequestHeadersEvent, shown: ShownForm, accepted: AgentAnswer): RequestedForm {
    return {
      headAnswer: { ...accepted, needsMore: true },
      formOctets: choiceOctets,
      replacesBody: true,
      answerForm: (form) => this.#choose(event, shown, accepted, form),
      refuseForm: (kind) => formRefusal({ kind, event }),
    };
  }

  async #choose(
    event: RequestHeadersEvent,
    shown: ShownForm,
    { audit }: AgentAnswer,
    { octets, chunkIndex }: ReceivedForm,
  ): Promise<AgentAnswer> {
    const { forms, digest, clock, cookies } = this.#parts;
    const posted = readChoice(octets);
    const passing = (data: Uint8Array): AgentAnswer => ({
      ...allowAnswer,
      audit,
      requestBodyMutation: { chunkIndex, data },
    });
    if (posted === null || !digest.equal(posted.token, this.#token(shown))) return passing(octets);
    // From here on the form is spent: it is sent once.
    const taken = await forms.take(digest.sha256Hex(shown.secret), clock.wallMs());
    if (!taken.ok) return withNoStore(undecidedAnswer(event, 'store_unavailable'));
    const cleared = [cookies.clearKeptForm()];
    const content = this.#opened(taken.value, shown);
    if (content === null || !this.#isOf(content, shown.user) || !isFor(content, event, shown)) {
      return withRemarks(formGonePage(cleared), { event: 'endpoint', outcome: 'refused' });
    }
    if (posted.choice === 'drop') {
      this.#log(event, 'a kept form was discarded by its user');
      return withRemarks(redirectAnswer(content.page, cleared, 303), { event: 'endpoint', outcome: 'answered' });
    }
    this.#log(event, 'a kept form is sent again');
    return { ...passing(formOctetsOf(content.body)), responseHeaders: cleared };
  }

  #opened(form: KeptForm | null, { secret }: ShownForm): KeptFormContent | null {
    const text = form === null ? null : this.#parts.secrets.open(secret, keptFormUse, form.sealed);
    return text === null ? null : readKeptForm(text);
  }

  #isOf({ salt, owner }: KeptFormContent, user: FormOwner): boolean {
    const { digest } = this.#parts;
    return digest.equal(ownerMarkOf(digest, salt, user), owner);
  }

  /** The token of the page, which only a browser with the cookie gets. */
  #token({ secret }: ShownForm): string {
    return this.#parts.digest.sha256Hex(`choice about a form\n${secret}`);
  }

  #log(event: RequestHeadersEvent, message: string): void {
    this.#parts.logger.info(message, { trace_id: eventTraceId(event), correlation_id: event.correlationId });
  }
}

/** Whether a request is for the URL of the form. */
const isFor = (content: KeptFormContent, { uri }: RequestHeadersEvent, { origin }: ShownForm): boolean =>
  content.origin === origin && content.target === uri;
