import type { AgentAnswer, RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { RefusedForm } from './posted-forms.js';

/** Paths that the agent answers itself. A `path` is the one of the request, normalised: one of `paths`. */
export interface AgentEndpoint {
  /** Normalised; no two endpoints of one configuration have one in common. */
  readonly paths: readonly string[];
  /** Octets of a form that is posted to it, at the most. */
  readonly formOctets: number;
  /** With `needsMore` it wants the body: `answerForm` or `refuseForm` has to follow. */
  answer(event: RequestHeadersEvent, path: string, cancellation: Cancellation): AgentAnswer | Promise<AgentAnswer>;
  /** Answers a request whose body `answer` wanted. */
  answerForm(
    event: RequestHeadersEvent,
    path: string,
    form: Uint8Array,
    cancellation: Cancellation,
  ): Promise<AgentAnswer>;
  /** Refuses a request whose body could not be had. */
  refuseForm(form: RefusedForm, path: string): AgentAnswer;
}
