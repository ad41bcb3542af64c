import type { Route, RouteConditions } from './route.js';

/**
 * One way in which a route can match: with one of its prefixes, and by its exact hosts or by one host suffix. A route
 * has an alternative for each, because a prefix or a host that did not match says nothing about how specific a match is.
 */
export interface RouteAlternative {
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
export const compareAlternatives = (left: RouteAlternative, right: RouteAlternative): number => {
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
export const countAlternatives = ({ conditions }: Route): number => {
  const prefixes = prefixesRank(conditions) ? conditions.prefixes.length : 1;
  return prefixes * Math.max(1, has(conditions.hosts) + conditions.hostSuffixes.length);
};

/** The alternatives of a route; together they match what the route matches. */
export const alternativesOf = (route: Route): readonly RouteAlternative[] => {
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
