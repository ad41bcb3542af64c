import { prefixTakes } from '../../http/path-normalisation.js';
import type { NamedMatch } from '../configuration/gateway-configuration.js';
import { RequestView } from './routable-request.js';
import type { Route, RouteConditions } from './route.js';

const hostMatches = (conditions: RouteConditions, host: string | null): boolean => {
  if (conditions.hosts.length === 0 && conditions.hostSuffixes.length === 0) return true;
  if (host === null) return false;
  return (
    conditions.hosts.includes(host) ||
    conditions.hostSuffixes.some((suffix) => host.length > suffix.length && host.endsWith(suffix))
  );
};

const pathMatches = ({ paths, prefixes, patterns }: RouteConditions, path: string): boolean =>
  (paths.length === 0 || paths.includes(path)) &&
  (prefixes.length === 0 || prefixes.some((prefix) => prefixTakes(prefix, path))) &&
  (patterns.length === 0 || patterns.some((pattern) => pattern.test(path)));

const anyNamed = (wanted: readonly NamedMatch[], pairs: readonly string[]): boolean => {
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    for (const { name, value } of wanted) {
      if (name === pairs[index] && (value === null || value === pairs[index + 1])) return true;
    }
  }
  return false;
};

/** Whether a request meets every kind of condition, each by one of its values; a condition costs its own length. */
const meetsConditions = (conditions: RouteConditions, view: RequestView): boolean =>
  (conditions.methods.length === 0 || conditions.methods.includes(view.request.method)) &&
  hostMatches(conditions, view.request.host) &&
  (conditions.headers.length === 0 || anyNamed(conditions.headers, view.headers())) &&
  (conditions.queryParams.length === 0 || anyNamed(conditions.queryParams, view.parameters())) &&
  pathMatches(conditions, view.request.path);

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
