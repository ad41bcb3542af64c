import type { HeaderList } from './header-list.js';

/** What a request asks for, and of which host, as it is routed, judged and forwarded. */
export interface ResolvedTarget {
  /** Normalised. */
  readonly path: string;
  /** What follows the `?`; null: there is none. */
  readonly query: string | null;
  /** Lower case, without port; null where a request of HTTP/1.0 has none. */
  readonly host: string | null;
  /** The Host field as it is forwarded. */
  readonly authority: string;
}

/**
 * What was found out of a request whose method, target and fields come again, all three of them: everything that depends on nothing
 * else is as it was.
 */
export class TargetHeaderCache {
  readonly resolved: ResolvedTarget;
  readonly #method: string;
  readonly #target: string;
  readonly #headers: HeaderList;
  #routes: object | null = null;
  #route = -1;

  /** @param headers the very list that comes with each of these requests; never changed */
  constructor(method: string, target: string, headers: HeaderList, resolved: ResolvedTarget) {
    this.#method = method;
    this.#target = target;
    this.#headers = headers;
    this.resolved = resolved;
  }

  /** Whether it is this that a request asks for. */
  isOf(method: string, target: string, headers: HeaderList): boolean {
    return this.#headers === headers && this.#target === target && this.#method === method;
  }

  /** The place of the route that takes it among these routes; -1: it is not known. */
  routeAmong(routes: object): number {
    return this.#routes === routes ? this.#route : -1;
  }

  /**
   * @param routes stands for routes that are never changed. INVARIANT: not the routes themselves, because a connection may keep
   * it for longer than the configuration is in force
   * @param place of the one that takes this request with these fields
   */
  rememberRoute(routes: object, place: number): void {
    this.#routes = routes;
    this.#route = place;
  }
}
