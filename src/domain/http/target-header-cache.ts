import type { HeaderList } from './header-list.js';

/** The target and host of a request, as used for routing, authorization and forwarding. */
export interface ResolvedTarget {
  /** Normalised. */
  readonly path: string;
  /** The text after `?`; null if there is none. */
  readonly query: string | null;
  /** Lower case, without port; null for an HTTP/1.0 request without Host. */
  readonly host: string | null;
  /** The forwarded Host value. */
  readonly authority: string;
}

/** Caches results for requests with the same method, target and fields. */
export class TargetHeaderCache {
  readonly resolved: ResolvedTarget;
  readonly #method: string;
  readonly #target: string;
  readonly #headers: HeaderList;
  #routes: object | null = null;
  #route = -1;

  /** @param headers the immutable list object of these requests */
  constructor(method: string, target: string, headers: HeaderList, resolved: ResolvedTarget) {
    this.#method = method;
    this.#target = target;
    this.#headers = headers;
    this.resolved = resolved;
  }

  /** Whether a request has this method, target and fields. */
  isOf(method: string, target: string, headers: HeaderList): boolean {
    return this.#headers === headers && this.#target === target && this.#method === method;
  }

  /** Index of the cached route among these routes; -1 on a miss. */
  routeAmong(routes: object): number {
    return this.#routes === routes ? this.#route : -1;
  }

  /**
   * @param routes stands for routes that are never changed. INVARIANT: not the routes themselves, because a
   * connection may keep it for longer than the configuration is in force
   * @param place of the one that takes this request with these fields
   */
  rememberRoute(routes: object, place: number): void {
    this.#routes = routes;
    this.#route = place;
  }
}
