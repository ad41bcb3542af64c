import { toBreaker } from './circuit-breaker-schema.js';
import type { RouteConfiguration } from './gateway-configuration.js';
import { toRateLimitPolicy } from './rate-limit-schema.js';
import type { ReadRoute } from './read-gateway.js';
import { toMatches, values } from './route-schema.js';

/** Converts a route that has no errors. */
export const toRoute = ({ name, fields }: ReadRoute): RouteConfiguration => {
  const policies = fields.policies.value;
  const rateLimit = policies['rate-limit'].value;
  const breaker = fields['circuit-breaker'].value;
  return {
    id: name.value,
    priority: fields.priority.value,
    matches: toMatches(fields.matches.value),
    upstream: fields.upstream.value,
    builtinHandler: fields['builtin-handler'].value,
    agents: values(fields.agents.value),
    policies: {
      maxBodySize: policies['max-body-size'].value,
      requestTimeoutMs: policies['timeout-secs'].value ?? policies.timeouts.value['request-secs'].value,
      readTimeoutMs: policies.timeouts.value['read-secs'].value,
      bufferRequests: policies['buffer-requests'].value,
      bufferResponses: policies['buffer-responses'].value,
      rateLimit: rateLimit === null ? null : toRateLimitPolicy(rateLimit),
      forwardsIdentityHeaders: policies['forward-identity-headers'].value,
    },
    circuitBreaker: breaker === null ? null : toBreaker(breaker),
  };
};
