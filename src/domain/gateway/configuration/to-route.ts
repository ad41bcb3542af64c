import type { RateLimitPolicy } from '../rate-limiting/rate-limit-policy.js';
import { toBreaker } from './circuit-breaker-schema.js';
import { toCompressionRules } from './compress-schema.js';
import { toCors } from './cors-schema.js';
import { toErrorPageFile } from './error-pages-schema.js';
import type { RouteConfiguration, RoutePolicies } from './gateway-configuration.js';
import { toHeaderRules } from './header-rules-schema.js';
import { toMirror } from './mirror-schema.js';
import { toRateLimitPolicy, type WrittenRateLimit } from './rate-limit-schema.js';
import type { ReadPolicies, ReadRateLimit, ReadRoute } from './read-gateway.js';
import { toRedirect } from './redirect-schema.js';
import { toFixedResponse } from './respond-schema.js';
import { toPathPolicy } from './rewrite-schema.js';
import { toMatches, values } from './route-schema.js';
import { toSplit } from './split-schema.js';

/** By name; null: the limit is turned off. */
export type NamedRateLimits = ReadonlyMap<string, RateLimitPolicy | null>;

/** Converts named limits that have no errors. */
export const toNamedRateLimits = (limits: readonly ReadRateLimit[]): NamedRateLimits =>
  new Map(limits.map(({ name, fields }) => [name.value, toRateLimitPolicy(fields, name.value)]));

const toRouteLimit = (written: WrittenRateLimit | null, named: NamedRateLimits): RateLimitPolicy | null => {
  if (written === null) return null;
  return written.kind === 'own' ? toRateLimitPolicy(written.fields, null) : (named.get(written.name.value) ?? null);
};

/**
 * Converts policies that have no errors.
 *
 * @param methods those that the route matches; empty: all
 */
export const toPolicies = (
  policies: ReadPolicies,
  named: NamedRateLimits,
  methods: readonly string[] = [],
): RoutePolicies => ({
  maxBodySize: policies['max-body-size'].value,
  requestTimeoutMs: policies['timeout-secs'].value ?? policies.timeouts.value['request-secs'].value,
  readTimeoutMs: policies.timeouts.value['read-secs'].value,
  bufferRequests: policies['buffer-requests'].value,
  bufferResponses: policies['buffer-responses'].value,
  cors: toCors(policies.cors.value, methods),
  path: toPathPolicy(policies),
  rateLimit: toRouteLimit(policies['rate-limit'].value, named),
  requestHeaders: toHeaderRules(policies['request-headers'].value),
  responseHeaders: toHeaderRules(policies['response-headers'].value),
  forwardsIdentityHeaders: policies['forward-identity-headers'].value,
  errorPageFile: toErrorPageFile(policies['error-pages'].value),
  compression: toCompressionRules(policies.compress.value),
});

/** Converts a route that has no errors. */
export const toRoute = ({ name, fields }: ReadRoute, named: NamedRateLimits): RouteConfiguration => {
  const breaker = fields['circuit-breaker'].value;
  return {
    id: name.value,
    priority: fields.priority.value,
    matches: toMatches(fields.matches.value),
    upstream: fields.upstream.value,
    split: fields.split.value === null ? null : toSplit(fields.split.value),
    mirror: fields.mirror.value === null ? null : toMirror(fields.mirror.value),
    builtinHandler: fields['builtin-handler'].value,
    redirect: toRedirect(fields.redirect.value),
    respond: toFixedResponse(fields.respond.value),
    agents: values(fields.agents.value),
    policies: toPolicies(fields.policies.value, named, values(fields.matches.value.method.value)),
    circuitBreaker: breaker === null ? null : toBreaker(breaker),
  };
};
