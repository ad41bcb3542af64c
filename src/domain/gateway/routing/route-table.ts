import { err, ok, type Result } from '../../shared/result.js';
import type { RouteConfiguration } from '../configuration/gateway-configuration.js';
import type { PathPatternCompiler } from './path-pattern.js';
import type { RoutableRequest } from './routable-request.js';
import { compileRoute, type Route } from './route.js';
import { type RouteCandidate, RouteSearch } from './route-candidate.js';
import { RouteIndex } from './route-index.js';
import { compareSpecificity, prefixesRank, type RouteConditions } from './route-matches.js';

/**
 * A route with one of its prefixes, and with its exact hosts or one host suffix. Each combination is an alternative,
 * because only the parts that match decide the specificity.
 */
interface RouteAlternative {
  readonly route: Route;
  /** The narrowed conditions of the route. */
  readonly conditions: RouteConditions;
}

/** Matching order: higher priority, then higher specificity, then order of the file. Negative: `left` comes first. */
const compareAlternatives = (left: RouteAlternative, right: RouteAlternative): number => {
  const [a, b] = [left.conditions, right.conditions];
  return (
    right.route.configuration.priority - left.route.configuration.priority ||
    compareSpecificity(a, b) ||
    left.route.fileOrder - right.route.fileOrder
  );
};

/** The number of alternatives of a route. */
const countAlternatives = ({ conditions }: Route): number => {
  const prefixes = prefixesRank(conditions) ? conditions.prefixes.length : 1;
  return prefixes * Math.max(1, (conditions.hosts.length > 0 ? 1 : 0) + conditions.hostSuffixes.length);
};

/** The alternatives of a route, which together match the same requests. */
const alternativesOf = (route: Route): readonly RouteAlternative[] => {
  const { conditions } = route;
  const byPrefix: readonly RouteConditions[] = prefixesRank(conditions)
    ? conditions.prefixes.map((prefix) => ({ ...conditions, prefixes: [prefix] }))
    : [conditions];
  return byPrefix.flatMap((narrowed) => {
    if (narrowed.hostSuffixes.length === 0) return [{ route, conditions: narrowed }];
    const bySuffix = narrowed.hostSuffixes.map((suffix) => ({
      route,
      conditions: { ...narrowed, hosts: [], hostSuffixes: [suffix] },
    }));
    return narrowed.hosts.length === 0
      ? bySuffix
      : [{ route, conditions: { ...narrowed, hostSuffixes: [] } }, ...bySuffix];
  });
};

/** An error in a route. */
export interface RouteFault {
  readonly routeId: string;
  readonly message: string;
}

/** The compiled routes of a configuration. */
export interface RouteTable {
  /** In matching order. The most specific alternative decides the position of a route. */
  readonly routes: readonly RouteConfiguration[];
  /** The route of a request, or null. The cost does not grow with the number of routes. */
  find(request: RoutableRequest): RouteConfiguration | null;
}

/** Largest number of combinations of prefixes and host suffixes in one route. */
const maxAlternatives = 4096;

const compileRoutes = (
  configurations: readonly RouteConfiguration[],
  compilePattern: PathPatternCompiler,
): Result<readonly Route[], readonly RouteFault[]> => {
  const routes: Route[] = [];
  const faults: RouteFault[] = [];
  for (const [fileOrder, configuration] of configurations.entries()) {
    const route = compileRoute(configuration, fileOrder, compilePattern);
    const messages = route.ok ? [] : [...route.error];
    if (route.ok && countAlternatives(route.value) > maxAlternatives) {
      messages.push(`the prefixes and host suffixes have more than ${maxAlternatives} combinations: split the route`);
    }
    for (const message of messages) faults.push({ routeId: configuration.id, message });
    if (route.ok) routes.push(route.value);
  }
  return faults.length > 0 ? err(faults) : ok(routes);
};

/** Compiles routes, in the order of the file. The error lists all faults of all routes. */
export const compileRouteTable = (
  configurations: readonly RouteConfiguration[],
  compilePattern: PathPatternCompiler,
): Result<RouteTable, readonly RouteFault[]> => {
  const compiled = compileRoutes(configurations, compilePattern);
  if (!compiled.ok) return compiled;
  const candidates: readonly RouteCandidate[] = compiled.value
    .flatMap(alternativesOf)
    .toSorted(compareAlternatives)
    .map((alternative, rank) => ({ ...alternative, rank }));
  const index = new RouteIndex(candidates);
  return ok({
    routes: [...new Set(candidates.map(({ route }) => route.configuration))],
    find: (request) => {
      const search = new RouteSearch(request);
      index.search(search);
      return search.best?.route.configuration ?? null;
    },
  });
};
