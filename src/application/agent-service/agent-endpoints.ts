import { normalisePath } from '../../domain/http/path-normalisation.js';
import type { AgentEndpoint } from './agent-endpoint.js';

/** The endpoints of one configuration, by their paths. */
export class AgentEndpoints {
  readonly #byPath: ReadonlyMap<string, AgentEndpoint>;

  /** @param endpoints no two of them have a path in common */
  constructor(endpoints: readonly AgentEndpoint[]) {
    this.#byPath = new Map(endpoints.flatMap((endpoint) => endpoint.paths.map((path) => [path, endpoint] as const)));
  }

  /** The one that a request for this URI (path and query) is for; a path that is not in normal form is judged by that form. */
  at(uri: string): AgentEndpoint | null {
    if (this.#byPath.size === 0) return null;
    const mark = uri.indexOf('?');
    const path = normalisePath(mark < 0 ? uri : uri.slice(0, mark));
    return path.ok ? (this.#byPath.get(path.value) ?? null) : null;
  }
}
