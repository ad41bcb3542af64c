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
import {
  type FormProgress,
  PostedForms,
  type PostedRequest,
  type RefusedForm,
  type RequestedForm,
} from './posted-forms.js';
import { formRefusal, undecidedAnswer, withNoStore } from './refusal.js';
import { withRemarks } from './with-remarks.js';

/** A request for an endpoint. */
export interface EndpointRequest {
  readonly event: RequestHeadersEvent;
  /** Normalised. */
  readonly path: string;
  readonly endpoint: AgentEndpoint;
}

export type CompleteForm = Extract<FormProgress, { kind: 'complete' }>;

/** The result of a body chunk: an answer, or a complete form. */
export type TakenPiece = { readonly kind: 'answer'; readonly answer: AgentAnswer } | CompleteForm;

const answered = (answer: AgentAnswer): TakenPiece => ({ kind: 'answer', answer });

/**
 * Adds audit remarks of the endpoint itself, unless the answer has others: the answer is then a document or a refusal.
 */
const withEndpointRemarks = (answer: AgentAnswer): AgentAnswer => {
  const { decision, audit } = answer;
  if (decision.kind === 'allow' || audit.custom['event'] !== undefined) return answer;
  const isRefusal = decision.kind === 'challenge' || decision.status >= 400;
  return withRemarks(answer, { event: 'endpoint', outcome: isRefusal ? 'refused' : 'answered' });
};

const noOctets = new Uint8Array(0);

/** The reader of the form chooses the refusal. Without one the default refusal applies. */
const refused = (
  kind: RefusedForm['kind'],
  { event, path, requested }: PostedRequest,
  endpoint: AgentEndpoint | null,
): AgentAnswer =>
  requested === null
    ? withEndpointRemarks(endpoint?.refuseForm({ kind, event }, path) ?? formRefusal({ kind, event }))
    : requested.refuseForm(kind);

/** Serves the endpoints of the agent. Requests with a form are answered when it is complete. */
export class PostedEndpoints {
  readonly #forms: PostedForms;

  constructor(scheduler: Scheduler) {
    this.#forms = new PostedForms(scheduler);
  }

  /** Begins to wait for the body if the answer requests it. */
  async answer(
    { event, path, endpoint }: EndpointRequest,
    connection: symbol,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const pending = endpoint.answer(event, path, cancellation);
    // Wait for the form synchronously: a cancellation that directly follows the request must find it.
    const answer = pending instanceof Promise ? await pending : pending;
    // A cancellation during the wait found no form, and the gateway would not send one.
    if (pending instanceof Promise && isCancelled(cancellation)) return answer;
    const { formOctets } = endpoint;
    if (!answer.needsMore) return withEndpointRemarks(answer);
    const request = { event, path, formOctets, requested: null };
    if (this.#forms.begin(request, connection)) return answer;
    return refused('overloaded', request, endpoint);
  }

  /** Begins to wait for a body that a request at no endpoint needs. */
  begin(event: RequestHeadersEvent, requested: RequestedForm, connection: symbol): AgentAnswer {
    const request = { event, path: '', formOctets: requested.formOctets, requested };
    return this.#forms.begin(request, connection) ? requested.headAnswer : requested.refuseForm('overloaded');
  }

  /**
   * A chunk that no form expects belongs to a decided request and changes nothing. `endpoints`, here and below, are
   * those of the current configuration, which may have changed since the request began.
   */
  take(piece: RequestBodyChunkEvent, connection: symbol, endpoints: AgentEndpoints | null): TakenPiece {
    const progress = this.#forms.take(piece, connection);
    switch (progress.kind) {
      case 'complete':
        return progress;
      case 'not_awaited':
        return answered(allowAnswer);
      case 'more':
        return answered({
          ...allowAnswer,
          needsMore: true,
          requestBodyMutation: progress.isDropped ? { chunkIndex: piece.chunkIndex, data: noOctets } : null,
        });
      default:
        return answered(refused(progress.kind, progress.request, endpoints?.at(progress.request.path) ?? null));
    }
  }

  async answerForm(
    { request, form, chunkIndex }: CompleteForm,
    endpoints: AgentEndpoints | null,
    cancellation: Cancellation,
  ): Promise<AgentAnswer> {
    const { event, path, requested } = request;
    if (requested !== null) return requested.answerForm({ octets: form, chunkIndex }, cancellation);
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
