import { RequestView } from './routable-request.js';
import type { Route } from './route.js';
import { meetsConditions, type RouteConditions } from './route-matches.js';

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
