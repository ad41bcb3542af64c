import type { HeaderList } from '../../http/header-list.js';
import { queryParameters } from '../../http/query-parameters.js';

/** The parts of a request that routing uses. */
export interface RoutableRequest {
  /** Case-sensitive (RFC 9110, section 9.1). */
  readonly method: string;
  /** Lower case, without port; null: an HTTP/1.0 request without one. */
  readonly host: string | null;
  /** Normalised. */
  readonly path: string;
  /** Raw, without the question mark. */
  readonly query: string | null;
  readonly headers: HeaderList;
}

/** A request during one lookup. Rarely used parts are computed on first use. */
export class RequestView {
  readonly request: RoutableRequest;
  #headers: readonly string[] | null = null;
  #parameters: readonly string[] | null = null;

  constructor(request: RoutableRequest) {
    this.request = request;
  }

  /** `[name, value, ...]` with names in lower case. */
  headers(): readonly string[] {
    this.#headers ??= this.request.headers.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : text));
    return this.#headers;
  }

  /** `[name, value, ...]`, decoded. */
  parameters(): readonly string[] {
    this.#parameters ??= this.request.query === null ? [] : queryParameters(this.request.query);
    return this.#parameters;
  }
}
