import {
  type AgentAnswer,
  allowAnswer,
  type RequestBodyChunkEvent,
  type RequestHeadersEvent,
} from '../../domain/agent-protocol/messages.js';
import type { Cancellation } from '../ports/cancellation.js';
import type { Scheduler } from '../ports/scheduler.js';
import type { AgentEndpoint } from './agent-endpoint.js';
import type { AgentEndpoints } from './agent-endpoints.js';
import { formRefusal } from './form-refusal.js';
import { type FormProgress, PostedForms } from './posted-forms.js';
import { undecidedAnswer } from './refusal.js';

/** What a piece of a body comes to: an answer, or a form that is all there. */
export type TakenPiece =
  | { readonly kind: 'answer'; readonly answer: AgentAnswer }
  | Extract<FormProgress, { kind: 'complete' }>;

const answered = (answer: AgentAnswer): TakenPiece => ({ kind: 'answer', answer });

/** Answers requests at the endpoints of the agent; those that post a form, once it is all there. */
export class PostedEndpoints {
  readonly #forms: PostedForms;

  constructor(scheduler: Scheduler) {
    this.#forms = new PostedForms(scheduler);
  }

  /** Where the answer asks for the body, that is awaited from now on. */
  async answer(
    event: RequestHeadersEvent,
    endpoint: AgentEndpoint,
    connection: symbol,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const pending = endpoint.answer(event, cancellation);
    // The form is awaited at once: a cancellation that comes right behind the request has to find it.
    const answer = pending instanceof Promise ? await pending : pending;
    if (!answer.needsMore || this.#forms.begin(event, connection)) return answer;
    return endpoint.refuseForm({ kind: 'overloaded', event });
  }

  /**
   * A piece that nobody awaits belongs to a request that has been decided: it changes nothing. `endpoints` are those of the
   * configuration in force, here as below: they may be others than when the request began.
   */
  take(piece: RequestBodyChunkEvent, connection: symbol, endpoints: AgentEndpoints | null): TakenPiece {
    const progress = this.#forms.take(piece, connection);
    switch (progress.kind) {
      case 'complete':
        return progress;
      case 'not_awaited':
        return answered(allowAnswer);
      case 'more':
        return answered({ ...allowAnswer, needsMore: true });
      default:
        return answered(endpoints?.at(progress.event.uri)?.refuseForm(progress) ?? formRefusal(progress));
    }
  }

  answerForm(
    event: RequestHeadersEvent,
    form: Uint8Array,
    endpoints: AgentEndpoints | null,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const endpoint = endpoints?.at(event.uri) ?? null;
    return endpoint?.answerForm(event, form, cancellation) ?? Promise.resolve(undecidedAnswer(event));
  }

  cancel(correlationId: string, connection: symbol): void {
    this.#forms.cancel(correlationId, connection);
  }

  disconnected(connection: symbol): void {
    this.#forms.disconnected(connection);
  }

  stop(): void {
    this.#forms.stop();
  }
}
