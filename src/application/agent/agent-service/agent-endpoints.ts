import { requestPath } from '../../../domain/http/request-path.js';
import type { AgentEndpoint } from './agent-endpoint.js';

/** The endpoints of one configuration, by their paths. */
export class AgentEndpoints {
  readonly #byPath: ReadonlyMap<string, AgentEndpoint>;

  /** @param endpoints no two of them have a path in common */
  constructor(endpoints: readonly AgentEndpoint[]) {
    this.#byPath = new Map(endpoints.flatMap((endpoint) => endpoint.paths.map((path) => [path, endpoint] as const)));
  }

  /**
   * The path by which a request for this URI (path and query) is judged: the normal form of its own. Null where it has
   * none, and where there are no endpoints: then no path is looked for, and single sign-on, which asks too, is not there.
   */
  pathOf(uri: string): string | null {
    return this.#byPath.size === 0 ? null : requestPath(uri);
  }

  /** The one that a request with this path is for. */
  at(path: string | null): AgentEndpoint | null {
    return path === null ? null : (this.#byPath.get(path) ?? null);
  }
}
