import { RequestView } from './routable-request.js';
import type { Route } from './route.js';
import { meetsConditions, type RouteConditions } from './route-matches.js';

/** An alternative in the index. */
export interface RouteCandidate {
  readonly route: Route;
  readonly conditions: RouteConditions;
  /** Place in matching order: the lowest that matches wins. */
  readonly rank: number;
}

/** A candidate at one place of the index. */
export interface Placement {
  readonly candidate: RouteCandidate;
  /** Coming here has decided every condition, so that none has to be looked at again. */
  readonly decided: boolean;
}

/** A look-up, with the best candidate found so far. */
export class RouteSearch extends RequestView {
  best: RouteCandidate | null = null;
  bestRank = Number.POSITIVE_INFINITY;

  /** Takes the first of a sorted list that matches and is better than what was found. */
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
