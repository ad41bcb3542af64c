import type { Route } from './route.js';
import { meetsConditions, type NamedMatch, RequestView, type RouteConditions } from './route-matches.js';

/** An alternative in the index. */
export interface RouteCandidate {
  readonly route: Route;
  readonly conditions: RouteConditions;
  /** Position in matching order. The lowest match wins. */
  readonly rank: number;
}

/** An entry of the index for a candidate. */
export interface Placement {
  readonly candidate: RouteCandidate;
  /** The path to this entry already decides all conditions. */
  readonly decided: boolean;
}

/** A lookup with its best candidate so far. */
export class RouteSearch extends RequestView {
  best: RouteCandidate | null = null;
  bestRank = Number.POSITIVE_INFINITY;

  /** Accepts the first match of a sorted list that beats the best so far. */
  offer(placements: readonly Placement[]): void {
    for (const { candidate, decided } of placements) {
      if (candidate.rank >= this.bestRank) return;
      if (!decided && !meetsConditions(candidate.conditions, this)) continue;
      this.best = candidate;
      this.bestRank = candidate.rank;
      return;
    }
  }
}

/** Header, query and method conditions of a placement that the index has not decided yet. */
export interface OpenAttributes {
  readonly headers: readonly NamedMatch[];
  readonly queryParams: readonly NamedMatch[];
  readonly methods: readonly string[];
}

/** The indexes for one name: for any value, and by value. */
interface NamedBranch {
  any: AttributeIndex | null;
  readonly values: Map<string, AttributeIndex>;
}

type NamedBranches = Map<string, NamedBranch>;

const none: readonly never[] = [];

/**
 * Placements with the same host and path, by header, query and method. A lookup iterates over the request's fields,
 * parameters and method, not over the routes.
 */
export class AttributeIndex {
  /** Smallest rank in this index. A search skips indexes that cannot beat its best result. */
  minRank = Number.POSITIVE_INFINITY;
  /** In order of rank. */
  readonly #plain: Placement[] = [];
  #headers: NamedBranches | null = null;
  #queryParams: NamedBranches | null = null;
  #methods: Map<string, AttributeIndex> | null = null;

  /** Call in order of rank. */
  add(placement: Placement, open: OpenAttributes): void {
    this.minRank = Math.min(this.minRank, placement.candidate.rank);
    // Methods first: one comparison is cheaper than a scan of all fields.
    if (open.methods.length > 0) {
      this.#methods ??= new Map();
      for (const method of open.methods) indexAt(this.#methods, method).add(placement, { ...open, methods: none });
    } else if (open.headers.length > 0) {
      this.#headers ??= new Map();
      addNamed(this.#headers, open.headers, placement, { ...open, headers: none });
    } else if (open.queryParams.length > 0) {
      this.#queryParams ??= new Map();
      addNamed(this.#queryParams, open.queryParams, placement, { ...open, queryParams: none });
    } else if (this.#plain.at(-1)?.decided !== true) {
      // INVARIANT: ranks grow, so no placement after a decided one is reachable.
      this.#plain.push(placement);
    }
  }

  search(search: RouteSearch): void {
    if (this.minRank >= search.bestRank) return;
    search.offer(this.#plain);
    this.#methods?.get(search.request.method)?.search(search);
    if (this.#headers !== null) searchNamed(this.#headers, search.headers(), search);
    if (this.#queryParams !== null) searchNamed(this.#queryParams, search.parameters(), search);
  }
}

const indexAt = (map: Map<string, AttributeIndex>, key: string): AttributeIndex => {
  let index = map.get(key);
  if (index === undefined) {
    index = new AttributeIndex();
    map.set(key, index);
  }
  return index;
};

const addNamed = (
  branches: NamedBranches,
  wanted: readonly NamedMatch[],
  placement: Placement,
  open: OpenAttributes,
): void => {
  for (const { name, value } of wanted) {
    let branch = branches.get(name);
    if (branch === undefined) {
      branch = { any: null, values: new Map() };
      branches.set(name, branch);
    }
    if (value === null) {
      branch.any ??= new AttributeIndex();
      branch.any.add(placement, open);
    } else indexAt(branch.values, value).add(placement, open);
  }
};

const searchNamed = (branches: NamedBranches, pairs: readonly string[], search: RouteSearch): void => {
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const branch = branches.get(pairs[index] as string);
    if (branch === undefined) continue;
    branch.any?.search(search);
    branch.values.get(pairs[index + 1] as string)?.search(search);
  }
};
