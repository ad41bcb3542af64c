import type { AgentAnswer, RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { requestPath } from '../../../domain/http/path-normalisation.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { RefusedForm } from './posted-forms.js';

/** Paths that the agent answers itself. A `path` is the one of the request, normalised: one of `paths`. */
export interface AgentEndpoint {
  /** Normalised; no two endpoints of one configuration have one in common. */
  readonly paths: readonly string[];
  /** Octets of a form that is posted to it, at most. */
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

/** The endpoints of one configuration, by their paths. */
export class AgentEndpoints {
  readonly #byPath: ReadonlyMap<string, AgentEndpoint>;

  /** @param endpoints no two of them have a path in common */
  constructor(endpoints: readonly AgentEndpoint[]) {
    this.#byPath = new Map(endpoints.flatMap((endpoint) => endpoint.paths.map((path) => [path, endpoint] as const)));
  }

  /**
   * The path by which a request for this URI (path and query) is judged: the normal form of its own. Null where it
   * has none, and where there are no endpoints: then no path is looked for, and single sign-on, which asks too, is
   * not there.
   */
  pathOf(uri: string): string | null {
    return this.#byPath.size === 0 ? null : requestPath(uri);
  }

  /** The one that a request with this path is for. */
  at(path: string | null): AgentEndpoint | null {
    return path === null ? null : (this.#byPath.get(path) ?? null);
  }
}
