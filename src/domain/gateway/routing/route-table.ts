import { err, ok, type Result } from '../../shared/result.js';
import type { RouteConfiguration } from '../configuration/gateway-configuration.js';
import type { PathPatternCompiler } from './path-pattern.js';
import type { RoutableRequest } from './routable-request.js';
import { compileRoute, type Route } from './route.js';
import { type RouteCandidate, RouteSearch } from './route-candidate.js';
import { RouteIndex } from './route-index.js';
import { compareSpecificity, prefixesRank, type RouteConditions } from './route-matches.js';

/**
 * One way in which a route can match: with one of its prefixes, and by its exact hosts or by one host suffix. A route
 * has an alternative for each, because a prefix or a host that did not match says nothing about how specific a match
 * is.
 */
interface RouteAlternative {
  readonly route: Route;
  /** Those of the route, narrowed. */
  readonly conditions: RouteConditions;
}

/**
 * Matching order: the higher priority, then the more specific matches, then the order of the file. Negative: `left`
 * first.
 */
const compareAlternatives = (left: RouteAlternative, right: RouteAlternative): number => {
  const [a, b] = [left.conditions, right.conditions];
  return (
    right.route.configuration.priority - left.route.configuration.priority ||
    compareSpecificity(a, b) ||
    left.route.fileOrder - right.route.fileOrder
  );
};

/** How many alternatives a route has. */
const countAlternatives = ({ conditions }: Route): number => {
  const prefixes = prefixesRank(conditions) ? conditions.prefixes.length : 1;
  return prefixes * Math.max(1, (conditions.hosts.length > 0 ? 1 : 0) + conditions.hostSuffixes.length);
};

/** The alternatives of a route; together they match what the route matches. */
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

/** Something that keeps a route from being compiled. */
export interface RouteFault {
  readonly routeId: string;
  readonly message: string;
}

/** The routes of a configuration, ready to be asked. */
export interface RouteTable {
  /** In matching order; of a route with several prefixes or hosts, the place of its most specific one. */
  readonly routes: readonly RouteConfiguration[];
  /** The route that takes a request, or null. What it costs does not grow with the number of routes. */
  find(request: RoutableRequest): RouteConfiguration | null;
}

/** Combinations of prefixes and host suffixes that one route may have. */
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
      messages.push(`the prefixes and host suffixes make more than ${maxAlternatives} combinations`);
    }
    for (const message of messages) faults.push({ routeId: configuration.id, message });
    if (route.ok) routes.push(route.value);
  }
  return faults.length > 0 ? err(faults) : ok(routes);
};

/** Compiles routes, given in the order of the file, to a table. The error lists every fault of every route. */
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
