import type { GatewayConfiguration, RouteConfiguration } from '../../../gateway/configuration/gateway-configuration.js';
import type { RoutableRequest } from '../../../gateway/routing/route-matches.js';
import type { RouteTable } from '../../../gateway/routing/route-table.js';
import type { ConfigurationProblem, SourcePosition } from '../../configuration-problem.js';
import { members, type Setting } from '../../setting/setting.js';
import { advice } from './advice-report.js';
import { followRedirect, possibleSchemes, sampleRequests } from './redirect-samples.js';

/** Browsers follow 20 redirects (Fetch, section 4.5). */
const maxHops = 20;

const urlOf = ({ scheme, host, path, query }: RoutableRequest): string =>
  `${scheme}://${host ?? ''}${path}${query === null ? '' : `?${query}`}`;

/** A redirect that never ends: its first request and its first Location. */
interface RedirectLoop {
  readonly from: string;
  readonly to: string;
}

/** Follows the redirects of a route from one request. Null: they end. */
const loopFrom = (
  configuration: GatewayConfiguration,
  table: RouteTable,
  first: RoutableRequest,
): RedirectLoop | null => {
  let request = first;
  let to = '';
  for (let hop = 0; hop < maxHops; hop += 1) {
    const found = table.find(request);
    if (found === null || found.redirect === null) return null;
    const next = followRedirect(configuration, found.redirect, request, found.id);
    if (next === null) return null;
    if (hop === 0) to = next.location;
    request = next.request;
  }
  return { from: urlOf(first), to };
};

const positionOf = (settings: readonly Setting[], id: string): SourcePosition | null => {
  const routes = settings.filter(({ name }) => name === 'routes').flatMap(members);
  const route = routes.find(({ name, args }) => name === 'route' && args[0]?.value === id);
  return (route === undefined ? undefined : members(route).find(({ name }) => name === 'redirect'))?.position ?? null;
};

/** Whether a route redirects all requests over http to https. */
const sendsAllToHttps = ({ matches, redirect }: RouteConfiguration): boolean => {
  if (redirect?.to.scheme !== 'https://') return false;
  const { paths, pathPrefixes, pathRegexes, hosts, methods, headers, queryParams, schemes } = matches;
  const others = [paths, pathRegexes, hosts, methods, headers, queryParams];
  return others.every(({ length }) => length === 0) && pathPrefixes.includes('/') && schemes.join() === 'http';
};

/** A route of the same priority that takes requests over http before the redirect to https; null: none. */
const leftOnHttp = (
  { routes, listeners }: GatewayConfiguration,
  table: RouteTable,
  redirect: RouteConfiguration,
): RouteConfiguration | null => {
  if (!listeners.some(({ tls, trustedProxies }) => tls === null || trustedProxies.length > 0)) return null;
  const http = new Set(['http'] as const);
  const others = routes.filter(
    (route) => route.priority === redirect.priority && route.redirect === null && route.matches.schemes.length === 0,
  );
  return others.find((route) => sampleRequests(route, http).some((sample) => table.find(sample) === route)) ?? null;
};

/** Advice about redirects that lead to themselves, and about routes that a redirect to https leaves on http. */
export const adviseOnRedirects = (
  configuration: GatewayConfiguration,
  table: RouteTable,
  settings: readonly Setting[],
): readonly ConfigurationProblem[] => {
  const possible = possibleSchemes(configuration);
  return configuration.routes
    .filter(({ redirect }) => redirect !== null)
    .flatMap((route) => {
      const position = positionOf(settings, route.id);
      const found: ConfigurationProblem[] = [];
      const samples = sampleRequests(route, possible).filter((sample) => table.find(sample) === route);
      const loop = samples.map((sample) => loopFrom(configuration, table, sample)).find((one) => one !== null) ?? null;
      if (loop !== null) {
        const message = `route "${route.id}" redirects in a circle: ${loop.from} leads to ${loop.to}, and back`;
        found.push(advice('redirect-loop', message, position, null));
      }
      const left = sendsAllToHttps(route) ? leftOnHttp(configuration, table, route) : null;
      if (left !== null) {
        const message = `route "${left.id}" still serves http: it ranks before the redirect of route "${route.id}"`;
        found.push(advice('http-beside-redirect', message, position, null));
      }
      return found;
    });
};
