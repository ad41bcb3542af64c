import type { AgentAnswer, RequestHeadersEvent } from '../../../domain/agent-protocol/messages.js';
import { requestPath } from '../../../domain/http/path-normalisation.js';
import type { Cancellation } from '../../ports/shared/cancellation.js';
import type { RefusedForm } from './posted-forms.js';

/** An endpoint that the agent serves itself. `path` is the normalised path of the request, one of `paths`. */
export interface AgentEndpoint {
  /** Normalised. Endpoints of one configuration have distinct paths. */
  readonly paths: readonly string[];
  /** Maximum octets of a posted form. */
  readonly formOctets: number;
  /** `needsMore` in the answer requests the body: `answerForm` or `refuseForm` follows. */
  answer(event: RequestHeadersEvent, path: string, cancellation: Cancellation): AgentAnswer | Promise<AgentAnswer>;
  /** Answers a request whose body `answer` requested. */
  answerForm(
    event: RequestHeadersEvent,
    path: string,
    form: Uint8Array,
    cancellation: Cancellation,
  ): Promise<AgentAnswer>;
  /** Answers a request whose body could not be read. */
  refuseForm(form: RefusedForm, path: string): AgentAnswer;
}

/** The endpoints of one configuration, by path. */
export class AgentEndpoints {
  readonly #byPath: ReadonlyMap<string, AgentEndpoint>;

  /** @param endpoints with distinct paths */
  constructor(endpoints: readonly AgentEndpoint[]) {
    this.#byPath = new Map(endpoints.flatMap((endpoint) => endpoint.paths.map((path) => [path, endpoint] as const)));
  }

  /**
   * The normal form of the URI's path. Null if it has none, or if there are no endpoints: single sign-on, which also
   * uses this, is then absent too.
   */
  pathOf(uri: string): string | null {
    return this.#byPath.size === 0 ? null : requestPath(uri);
  }

  /** The endpoint of a path; null if there is none. */
  at(path: string | null): AgentEndpoint | null {
    return path === null ? null : (this.#byPath.get(path) ?? null);
  }
}
