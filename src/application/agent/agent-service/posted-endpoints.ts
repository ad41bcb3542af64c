import {
  type AgentAnswer,
  allowAnswer,
  type RequestBodyChunkEvent,
  type RequestHeadersEvent,
} from '../../../domain/agent-protocol/messages.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import { isCancelled } from '../../shared/cancellation/cancellation-source.js';
import type { AgentEndpoint, AgentEndpoints } from './agent-endpoints.js';
import { type FormProgress, PostedForms, type PostedRequest, type RefusedForm } from './posted-forms.js';
import { formRefusal, undecidedAnswer, withNoStore } from './refusal.js';
import { withRemarks } from './with-remarks.js';

/** A request at an endpoint. */
export interface EndpointRequest {
  readonly event: RequestHeadersEvent;
  /** Normalised. */
  readonly path: string;
  readonly endpoint: AgentEndpoint;
}

export type CompleteForm = Extract<FormProgress, { kind: 'complete' }>;

/** What a piece of a body comes to: an answer, or a form that is all there. */
export type TakenPiece = { readonly kind: 'answer'; readonly answer: AgentAnswer } | CompleteForm;

const answered = (answer: AgentAnswer): TakenPiece => ({ kind: 'answer', answer });

/**
 * An answer whose audit does not say what it was about is the endpoint's own: a document, or a refusal of the
 * request.
 */
const withEndpointRemarks = (answer: AgentAnswer): AgentAnswer => {
  const { decision, audit } = answer;
  if (decision.kind === 'allow' || audit.custom['event'] !== undefined) return answer;
  const isRefusal = decision.kind === 'challenge' || decision.status >= 400;
  return withRemarks(answer, { event: 'endpoint', outcome: isRefusal ? 'refused' : 'answered' });
};

/** The endpoint says how; where it is gone, it is refused all the same. */
const refused = (
  kind: RefusedForm['kind'],
  { event, path }: PostedRequest,
  endpoint: AgentEndpoint | null,
): AgentAnswer => withEndpointRemarks(endpoint?.refuseForm({ kind, event }, path) ?? formRefusal({ kind, event }));

/** Answers requests at the endpoints of the agent; those that post a form, once it is all there. */
export class PostedEndpoints {
  readonly #forms: PostedForms;

  constructor(scheduler: Scheduler) {
    this.#forms = new PostedForms(scheduler);
  }

  /** Where the answer asks for the body, that is awaited from now on. */
  async answer(
    { event, path, endpoint }: EndpointRequest,
    connection: symbol,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const pending = endpoint.answer(event, path, cancellation);
    // The form is awaited at once: a cancellation that comes right behind the request has to find it.
    const answer = pending instanceof Promise ? await pending : pending;
    // One that came while it was waited for found none: nobody would send the form.
    if (pending instanceof Promise && isCancelled(cancellation)) return answer;
    const { formOctets } = endpoint;
    if (!answer.needsMore) return withEndpointRemarks(answer);
    if (this.#forms.begin({ event, path, formOctets }, connection)) return answer;
    return refused('overloaded', { event, path, formOctets }, endpoint);
  }

  /**
   * A piece that nobody awaits belongs to a request that has been decided: it changes nothing. `endpoints` are those
   * of the configuration in force, here as below: they may be others than when the request began.
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
        return answered(refused(progress.kind, progress.request, endpoints?.at(progress.request.path) ?? null));
    }
  }

  async answerForm(
    { request, form }: CompleteForm,
    endpoints: AgentEndpoints | null,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const { event, path } = request;
    const endpoint = endpoints?.at(path) ?? null;
    if (endpoint === null) return withNoStore(undecidedAnswer(event));
    if (form.length > endpoint.formOctets) return refused('too_large', request, endpoint);
    return withEndpointRemarks(await endpoint.answerForm(event, path, form, cancellation));
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
