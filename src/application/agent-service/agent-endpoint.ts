import type { AgentAnswer, RequestHeadersEvent } from '../../domain/agent-protocol/messages.js';
import type { Cancellation } from '../ports/cancellation.js';
import type { RefusedForm } from './posted-forms.js';

/** Paths that the agent answers itself. */
export interface AgentEndpoint {
  /** Normalised; no two endpoints of one configuration have one in common. */
  readonly paths: readonly string[];
  /** With `needsMore` it wants the body: `answerForm` or `refuseForm` has to follow. */
  answer(event: RequestHeadersEvent, cancellation: Cancellation): AgentAnswer | Promise<AgentAnswer>;
  /** Answers a request whose body `answer` wanted. */
  answerForm(event: RequestHeadersEvent, form: Uint8Array, cancellation: Cancellation): Promise<AgentAnswer>;
  /** Refuses a request whose body could not be had. */
  refuseForm(form: RefusedForm): AgentAnswer;
}
