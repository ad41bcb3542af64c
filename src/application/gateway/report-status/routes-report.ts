import type { CircuitBreakerRules } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type {
  BuiltinHandler,
  RouteConfiguration,
  RoutePolicies,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { HashKey } from '../../../domain/gateway/configuration/upstream-options.js';
import type { TrafficSplit } from '../../../domain/gateway/load-balancing/traffic-split.js';
import type { RateLimitPolicy } from '../../../domain/gateway/rate-limiting/rate-limit-policy.js';
import type { CompressionRules } from '../../../domain/gateway/route-transforms/compression-rules.js';
import type { CorsPolicy } from '../../../domain/gateway/route-transforms/cors-policy.js';
import type { HeaderRules } from '../../../domain/gateway/route-transforms/header-rules.js';
import type { MirrorRules } from '../../../domain/gateway/route-transforms/mirror.js';
import type { NamedMatch, RouteMatches } from '../../../domain/gateway/routing/route-matches.js';
import { isSecretName } from '../../../domain/shared/secret.js';
import { pathPolicyReport, type RewriteReport } from './path-policy-report.js';

interface NamedMatchReport {
  readonly name: string;
  /** Absent: any value matches. */
  readonly value?: string;
}

interface RouteReport {
  readonly id: string;
  readonly priority: number;
  /** Kinds without values are absent. */
  readonly matches: Readonly<Record<string, readonly (string | NamedMatchReport)[]>>;
  readonly upstream: string | null;
  readonly split?: SplitReport;
  readonly mirror?: MirrorReport;
  readonly agents: readonly string[];
  readonly service_type: 'proxy' | 'builtin' | 'redirect' | 'respond';
  readonly builtin_handler?: BuiltinHandler;
  readonly redirect?: { readonly to: string; readonly status: number };
  readonly respond?: { readonly status: number };
  /** The policies of the route, with those of `defaults`; times in seconds, sizes in octets. */
  readonly policies: Readonly<
    Record<
      string,
      number | boolean | RateLimitReport | CorsReport | CompressionReport | HeaderRulesReport | RewriteReport
    >
  >;
  readonly circuit_breaker?: BreakerReport;
}

interface SplitReport {
  /** As in the configuration; absent: requests are divided at random. */
  readonly key?: string;
  readonly upstreams: readonly { readonly name: string; readonly weight: number }[];
}

interface MirrorReport {
  readonly upstream: string;
  readonly percent: number;
  readonly credentials: boolean;
}

interface RateLimitReport {
  /** Of the limit that routes share. Absent: the route has its own. */
  readonly name?: string;
  readonly requests_per_second: number;
  readonly burst: number;
  /** As in the configuration. */
  readonly key: string;
}

interface CorsReport {
  readonly allow_origins: readonly string[];
  readonly allow_methods: readonly string[];
  readonly allow_headers: readonly string[];
  readonly expose_headers: readonly string[];
  readonly allow_credentials: boolean;
  readonly max_age_secs: number;
}

/** The names of the headers. Values may be secrets. */
interface HeaderRulesReport {
  readonly remove: readonly string[];
  readonly set: readonly string[];
  readonly add: readonly string[];
}

interface CompressionReport {
  readonly types: readonly string[];
  readonly min_bytes: number;
  readonly encodings: readonly string[];
}

interface BreakerReport {
  readonly failure_threshold: number;
  readonly timeout_seconds: number;
  readonly probes: number;
}

/** Body of /admin/routes, in matching order. */
export type RoutesReport = readonly RouteReport[];

/** Hides the value of a header or parameter whose name denotes a secret. */
const namedMatch = ({ name, value }: NamedMatch): NamedMatchReport =>
  value === null ? { name } : { name, value: isSecretName(name) ? '[secret]' : value };

const matchesReport = (matches: RouteMatches): RouteReport['matches'] => {
  const kinds: [string, readonly (string | NamedMatchReport)[]][] = [
    ['path', matches.paths],
    ['path_prefix', matches.pathPrefixes],
    ['path_regex', matches.pathRegexes],
    ['host', matches.hosts],
    ['method', matches.methods],
    ['header', matches.headers.map(namedMatch)],
    ['query_param', matches.queryParams.map(namedMatch)],
    ['scheme', matches.schemes],
  ];
  return Object.fromEntries(kinds.filter(([, values]) => values.length > 0));
};

const rateLimitReport = ({ name, limit, key }: RateLimitPolicy): RateLimitReport => ({
  ...(name === null ? {} : { name }),
  requests_per_second: limit.requestsPerSecond,
  burst: limit.burst,
  key: key.kind === 'header' ? `header:${key.name}` : key.kind,
});

const keyText = (key: HashKey): string => (key.kind === 'client_ip' ? key.kind : `${key.kind}:${key.name}`);

const splitReport = ({ key, sides }: TrafficSplit): SplitReport => ({
  ...(key === null ? {} : { key: keyText(key) }),
  upstreams: sides.map(({ upstream, weight }) => ({ name: upstream, weight })),
});

const mirrorReport = ({ upstream, percent, keepsCredentials }: MirrorRules): MirrorReport => ({
  upstream,
  percent,
  credentials: keepsCredentials,
});

const breakerReport = ({ failureThreshold, openMs, probes }: CircuitBreakerRules): BreakerReport => ({
  failure_threshold: failureThreshold,
  timeout_seconds: openMs / 1000,
  probes,
});

const corsReport = (cors: CorsPolicy): CorsReport => ({
  allow_origins: cors.allowOrigins,
  allow_methods: cors.allowMethods,
  allow_headers: cors.allowHeaders,
  expose_headers: cors.exposeHeaders,
  allow_credentials: cors.allowCredentials,
  max_age_secs: cors.maxAgeSecs,
});

const compressionReport = ({ types, minOctets, encodings }: CompressionRules): CompressionReport => ({
  types,
  min_bytes: minOctets,
  encodings,
});

const headerRulesReport = ({ remove, set, add }: HeaderRules): HeaderRulesReport => ({
  remove,
  set: set.map(({ name }) => name),
  add: add.map(({ name }) => name),
});

const policiesReport = (policies: RoutePolicies): RouteReport['policies'] => ({
  ...(policies.maxBodySize === null ? {} : { max_body_size: policies.maxBodySize }),
  ...(policies.requestTimeoutMs === null ? {} : { timeout_secs: policies.requestTimeoutMs / 1000 }),
  ...(policies.readTimeoutMs === null ? {} : { read_timeout_secs: policies.readTimeoutMs / 1000 }),
  ...(policies.bufferRequests ? { buffer_requests: true } : {}),
  ...(policies.bufferResponses ? { buffer_responses: true } : {}),
  ...(policies.forwardsIdentityHeaders ? { forward_identity_headers: true } : {}),
  ...pathPolicyReport(policies.path),
  ...(policies.rateLimit === null ? {} : { rate_limit: rateLimitReport(policies.rateLimit) }),
  ...(policies.compression === null ? {} : { compress: compressionReport(policies.compression) }),
  ...(policies.cors === null ? {} : { cors: corsReport(policies.cors) }),
  ...(policies.requestHeaders === null ? {} : { request_headers: headerRulesReport(policies.requestHeaders) }),
  ...(policies.responseHeaders === null ? {} : { response_headers: headerRulesReport(policies.responseHeaders) }),
});

const destinationReport = ({
  builtinHandler,
  redirect,
  respond,
}: RouteConfiguration): Pick<RouteReport, 'service_type' | 'builtin_handler' | 'redirect' | 'respond'> => {
  if (builtinHandler !== null) return { service_type: 'builtin', builtin_handler: builtinHandler };
  if (redirect !== null)
    return { service_type: 'redirect', redirect: { to: redirect.to.text, status: redirect.status } };
  if (respond !== null) return { service_type: 'respond', respond: { status: respond.status } };
  return { service_type: 'proxy' };
};

const routeReport = (route: RouteConfiguration): RouteReport => ({
  id: route.id,
  priority: route.priority,
  matches: matchesReport(route.matches),
  upstream: route.upstream,
  ...(route.split === null ? {} : { split: splitReport(route.split) }),
  ...(route.mirror === null ? {} : { mirror: mirrorReport(route.mirror) }),
  agents: route.agents,
  ...destinationReport(route),
  policies: policiesReport(route.policies),
  ...(route.circuitBreaker === null ? {} : { circuit_breaker: breakerReport(route.circuitBreaker) }),
});

export const routesReport = (routesInOrder: readonly RouteConfiguration[]): RoutesReport =>
  routesInOrder.map(routeReport);
