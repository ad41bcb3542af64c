import type { RouteConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { RoutableRequest, RouteMatches } from '../../../src/domain/gateway/routing/route-matches.js';
import { plainPolicies } from './plain-configurations.js';

const noMatches: RouteMatches = {
  paths: [],
  pathPrefixes: [],
  pathRegexes: [],
  hosts: [],
  methods: [],
  headers: [],
  queryParams: [],
  schemes: [],
};

/** A route to nowhere in particular with these matches. */
export const routeConfiguration = (id: string, matches: Partial<RouteMatches>, priority = 50): RouteConfiguration => ({
  id,
  priority,
  matches: { ...noMatches, ...matches },
  upstream: 'nowhere',
  split: null,
  mirror: null,
  builtinHandler: null,
  redirect: null,
  respond: null,
  agents: [],
  policies: plainPolicies,
  circuitBreaker: null,
});

/** A GET of a path, with what a test is about. */
export const routableRequest = (path: string, more: Partial<RoutableRequest> = {}): RoutableRequest => ({
  method: 'GET',
  host: 'a.example',
  path,
  query: null,
  headers: [],
  scheme: 'http',
  ...more,
});
