import type { GatewayConfiguration, RouteConfiguration } from '../../../gateway/configuration/gateway-configuration.js';
import { type RedirectRule, renderedRedirect } from '../../../gateway/route-transforms/redirect.js';
import type { RequestScheme, RoutableRequest } from '../../../gateway/routing/route-matches.js';
import { normalisePath } from '../../../http/path-normalisation.js';
import { parseAuthority, parseRequestTarget } from '../../../http/request-target.js';

/** Largest number of samples for one route. */
const maxSamples = 64;

const hostSamples = ({ hosts }: RouteConfiguration['matches']): readonly string[] =>
  hosts.length === 0 ? ['host.example'] : hosts.map((host) => host.replace(/^\*\./, 'name.').toLowerCase());

const pathSamples = ({ paths, pathPrefixes }: RouteConfiguration['matches']): readonly string[] => {
  if (paths.length > 0) return paths;
  const below = pathPrefixes.map((prefix) => (prefix.endsWith('/') ? `${prefix}x` : `${prefix}/x`));
  return pathPrefixes.length > 0 ? [...pathPrefixes, ...below] : ['/', '/x'];
};

/** The schemes that requests can have: those of the listeners, and with trusted proxies both. */
export const possibleSchemes = ({ listeners }: GatewayConfiguration): ReadonlySet<RequestScheme> =>
  new Set(
    listeners.flatMap(({ tls, trustedProxies }): RequestScheme[] => {
      if (trustedProxies.length > 0) return ['http', 'https'];
      return [tls === null ? 'http' : 'https'];
    }),
  );

/** Some requests that probably match a route. Those of a route with regular expressions may not. */
export const sampleRequests = (
  { matches }: RouteConfiguration,
  possible: ReadonlySet<RequestScheme>,
): readonly RoutableRequest[] => {
  const { methods, headers, queryParams, schemes } = matches;
  const [parameter] = queryParams;
  const [header] = headers;
  const wanted = [...possible].filter((scheme) => schemes.length === 0 || schemes.includes(scheme));
  const samples = wanted.flatMap((scheme) =>
    hostSamples(matches).flatMap((host) =>
      pathSamples(matches).map((path) => ({
        method: methods[0] ?? 'GET',
        host,
        path,
        query: parameter === undefined ? null : `${parameter.name}=${parameter.value ?? ''}`,
        headers: header === undefined ? [] : [header.name, header.value ?? ''],
        scheme,
      })),
    ),
  );
  return samples.slice(0, maxSamples);
};

/** The request of a browser that follows a redirect. Null: it leads away from this gateway, or nowhere. */
export type NextRequest = { readonly location: string; readonly request: RoutableRequest } | null;

const nextMethod = (method: string, status: RedirectRule['status']): string => {
  if (status === 303) return method === 'HEAD' ? 'HEAD' : 'GET';
  return status < 303 && method === 'POST' ? 'GET' : method;
};

const namesHost = ({ routes }: GatewayConfiguration, host: string): boolean =>
  routes.some(({ matches: { hosts } }) =>
    hosts.some((named) => (named.startsWith('*.') ? host.endsWith(named.slice(1)) : named.toLowerCase() === host)),
  );

/** Whether a listener may serve a host and port. Without a port, a mapping may lead to any listener. */
const isOurs = (
  configuration: GatewayConfiguration,
  { host, port }: { readonly host: string; readonly port: number | null },
  redirect: RedirectRule,
): boolean => {
  const usesHost = redirect.to.authority?.parts.some((part) => typeof part === 'object') ?? true;
  if (!usesHost && !namesHost(configuration, host)) return false;
  return port === null || configuration.listeners.some(({ address }) => address.port === port);
};

/** Follows a redirect as a browser does (Fetch, section 4.5). */
export const followRedirect = (
  configuration: GatewayConfiguration,
  redirect: RedirectRule,
  { method, host, path, query, headers, scheme }: RoutableRequest,
  routeId: string,
): NextRequest => {
  const queryText = query === null ? '' : `?${query}`;
  const given = renderedRedirect(redirect.to, {
    client_ip: '192.0.2.1',
    host: host ?? '',
    method,
    path,
    query: queryText,
    path_query: path + queryText,
    scheme,
    correlation_id: 'id',
    user_id: 'user',
    route: routeId,
    upstream: '',
  });
  const location = given?.startsWith('//') ? `${scheme}:${given}` : given;
  const target = location === null ? null : parseRequestTarget(location.replace(/#.*$/, ''), 'GET');
  if (location === null || target?.ok !== true) return null;
  const authority = target.value.authority === null ? null : parseAuthority(target.value.authority);
  const normal = normalisePath(target.value.path);
  if (!normal.ok || authority?.ok === false) return null;
  if (authority !== null && !isOurs(configuration, authority.value, redirect)) return null;
  const wanted: RequestScheme =
    authority === null ? scheme : location.toLowerCase().startsWith('https') ? 'https' : 'http';
  const [only = wanted, other] = [...possibleSchemes(configuration)];
  return {
    location,
    request: {
      method: nextMethod(method, redirect.status),
      host: authority === null ? host : authority.value.host,
      path: normal.value,
      query: target.value.query,
      headers,
      // A gateway that sees one scheme alone sees every request with it.
      scheme: other === undefined ? only : wanted,
    },
  };
};
