import type { RouteConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { NamedMatch, RoutableRequest, RouteMatches } from '../../../src/domain/gateway/routing/route-matches.js';

/** How specific a match is: compared from the first figure on, the higher wins. */
type Specificity = readonly number[];

const takes = (prefix: string, path: string): boolean =>
  prefix.endsWith('/') ? path.startsWith(prefix) : path === prefix || path.startsWith(`${prefix}/`);

const hostTakes = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length : host === pattern;

const holds = (wanted: readonly NamedMatch[], pairs: readonly (readonly [string, string])[]): boolean =>
  wanted.length === 0 ||
  wanted.some(({ name, value }) => pairs.some(([key, text]) => key === name && (value === null || value === text)));

const pathSpecificity = (matches: RouteMatches, path: string): Specificity | null => {
  const prefixes = matches.pathPrefixes.filter((prefix) => takes(prefix, path));
  if (matches.paths.length > 0 && !matches.paths.includes(path)) return null;
  if (matches.pathRegexes.length > 0 && !matches.pathRegexes.some((regex) => new RegExp(regex).test(path))) return null;
  if (matches.pathPrefixes.length > 0 && prefixes.length === 0) return null;
  if (matches.paths.length > 0) return [3, 0];
  if (matches.pathRegexes.length > 0) return [2, 0];
  return prefixes.length > 0 ? [1, Math.max(...prefixes.map((prefix) => prefix.length))] : [0, 0];
};

const hostSpecificity = (matches: RouteMatches, host: string | null): number | null => {
  if (matches.hosts.length === 0) return 0;
  const taken = matches.hosts.filter((pattern) => host !== null && hostTakes(pattern, host));
  if (taken.length === 0) return null;
  return Math.max(...taken.map((pattern) => (pattern.startsWith('*.') ? pattern.length : 1000)));
};

const specificity = (route: RouteConfiguration, request: RoutableRequest): Specificity | null => {
  const { matches } = route;
  const path = pathSpecificity(matches, request.path);
  const host = hostSpecificity(matches, request.host);
  if (path === null || host === null) return null;
  if (matches.methods.length > 0 && !matches.methods.includes(request.method)) return null;
  if (matches.schemes.length > 0 && !matches.schemes.includes(request.scheme)) return null;
  const headers = request.headers.flatMap((name, index, all) =>
    index % 2 === 0 ? [[name.toLowerCase(), all[index + 1] ?? ''] as const] : [],
  );
  const wantedHeaders = matches.headers.map(({ name, value }) => ({ name: name.toLowerCase(), value }));
  if (!holds(wantedHeaders, headers)) return null;
  if (!holds(matches.queryParams, [...new URLSearchParams(request.query ?? '')])) return null;
  const has = (values: readonly unknown[]): number => Math.sign(values.length);
  const kinds = [matches.headers, matches.queryParams, matches.methods, matches.schemes];
  return [route.priority, ...path, host, ...kinds.map(has)];
};

const isHigher = (left: Specificity, right: Specificity): boolean => {
  const at = left.findIndex((figure, index) => figure !== right[index]);
  return at >= 0 && (left[at] ?? 0) > (right[at] ?? 0);
};

/** The route that takes a request, found by looking at every one: what the route table is held against. */
export const findNaively = (
  routes: readonly RouteConfiguration[],
  request: RoutableRequest,
): RouteConfiguration | null => {
  let best: { readonly route: RouteConfiguration; readonly specificity: Specificity } | null = null;
  for (const route of routes) {
    const found = specificity(route, request);
    if (found !== null && (best === null || isHigher(found, best.specificity))) best = { route, specificity: found };
  }
  return best?.route ?? null;
};
