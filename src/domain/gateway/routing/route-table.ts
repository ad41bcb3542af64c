import { err, ok, type Result } from '../../shared/result.js';
import type { RouteConfiguration } from '../configuration/gateway-configuration.js';
import type { PathPatternCompiler } from './path-pattern.js';
import type { RoutableRequest } from './routable-request.js';
import { compileRoute, type Route, type RouteConditions } from './route.js';
import { type RouteCandidate, RouteSearch } from './route-candidate.js';
import { RouteIndex } from './route-index.js';

/**
 * One way in which a route can match: with one of its prefixes, and by its exact hosts or by one host suffix. A route
 * has an alternative for each, because a prefix or a host that did not match says nothing about how specific a match is.
 */
interface RouteAlternative {
  readonly route: Route;
  /** Those of the route, narrowed. */
  readonly conditions: RouteConditions;
}

/** Exact path over regex over prefix over no path at all. */
const pathKind = ({ paths, patterns, prefixes }: RouteConditions): number => {
  if (paths.length > 0) return 3;
  if (patterns.length > 0) return 2;
  return prefixes.length > 0 ? 1 : 0;
};

/** Whether the prefixes of a route decide how specific it is. */
const prefixesRank = (conditions: RouteConditions): boolean => pathKind(conditions) === 1;

const longest = (texts: readonly string[]): number => texts.reduce((length, text) => Math.max(length, text.length), 0);

const prefixLength = (conditions: RouteConditions): number =>
  prefixesRank(conditions) ? longest(conditions.prefixes) : 0;

/** An exact host over a suffix, a longer suffix over a shorter one, that over none. */
const hostRank = ({ hosts, hostSuffixes }: RouteConditions): number =>
  hosts.length > 0 ? Number.MAX_SAFE_INTEGER : longest(hostSuffixes);

const has = (values: readonly unknown[]): number => (values.length > 0 ? 1 : 0);

/**
 * Matching order: the higher priority; then the more specific path (exact, regex, the longer prefix); then host,
 * header, query and method, each before none; then the order of the file. Negative: `left` comes first.
 */
const compareAlternatives = (left: RouteAlternative, right: RouteAlternative): number => {
  const [a, b] = [left.conditions, right.conditions];
  return (
    right.route.configuration.priority - left.route.configuration.priority ||
    pathKind(b) - pathKind(a) ||
    prefixLength(b) - prefixLength(a) ||
    hostRank(b) - hostRank(a) ||
    has(b.headers) - has(a.headers) ||
    has(b.queryParams) - has(a.queryParams) ||
    has(b.methods) - has(a.methods) ||
    left.route.fileOrder - right.route.fileOrder
  );
};

/** How many alternatives a route has. */
const countAlternatives = ({ conditions }: Route): number => {
  const prefixes = prefixesRank(conditions) ? conditions.prefixes.length : 1;
  return prefixes * Math.max(1, has(conditions.hosts) + conditions.hostSuffixes.length);
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
