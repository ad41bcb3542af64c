import type {
  GatewayConfiguration,
  RouteConfiguration,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import { bodySizeLimit } from '../../../domain/gateway/limits/request-limits.js';
import { type AppliedRateLimit, appliedRateLimits } from '../../../domain/gateway/rate-limiting/applied-rate-limit.js';
import { addressGroup } from '../../../domain/http/ip-address.js';
import { isOwned, type OwnedHeaders } from '../../../domain/http/owned-headers.js';
import { type ExplainedStep, step } from './explanation.js';

/** What the buckets of limits are told apart by, for one request. */
interface LimitedRequest {
  readonly client: string;
  readonly path: string;
}

const bucketOf = ({ key }: AppliedRateLimit, { client, path }: LimitedRequest): string => {
  switch (key.kind) {
    case 'everybody':
      return 'one bucket for all requests';
    case 'route':
      return 'one bucket for the route';
    case 'client_ip':
      return `the bucket of the client ${addressGroup(client)}`;
    case 'path':
      return `the bucket of the path ${path}`;
    case 'header':
      return `the bucket of the value of ${key.name}`;
    case 'user':
      return `the bucket of the user id that agents set, or of the client ${addressGroup(client)}`;
  }
};

const rateStep = (applied: AppliedRateLimit, request: LimitedRequest, named: string | null): ExplainedStep => {
  const { setting, limit, key } = applied;
  const { requestsPerSecond, burst } = limit;
  const name = setting === 'rate-limit' && named !== null ? `rate-limit "${named}"` : setting;
  const bucket = bucketOf(applied, request);
  return step('rate-limit', [`${name}: ${requestsPerSecond} per second, burst ${burst}, from ${bucket}`], {
    setting,
    name: setting === 'rate-limit' ? named : null,
    requests_per_second: requestsPerSecond,
    burst,
    key: key.kind === 'header' ? `header:${key.name}` : key.kind,
    bucket,
  });
};

/** The rate limits of a route: those that count before the agents answer, and those that count after. */
export const explainRates = (
  { limits }: GatewayConfiguration,
  route: RouteConfiguration,
  owned: OwnedHeaders,
  request: LimitedRequest,
): { readonly before: readonly ExplainedStep[]; readonly after: readonly ExplainedStep[] } => {
  // As `compileRoute` does: built-in endpoints obey only their own policy.
  const rates = route.builtinHandler === null ? limits.rates : { global: null, perClient: null, perRoute: null };
  const { rateLimit } = route.policies;
  const applied = appliedRateLimits(rates, { id: route.id, policy: rateLimit });
  const needsAgents = ({ name, key }: AppliedRateLimit): boolean =>
    name === 'route-policy' &&
    route.agents.length > 0 &&
    (key.kind === 'user' || (key.kind === 'header' && isOwned(owned, key.name)));
  const steps = (wanted: boolean): readonly ExplainedStep[] =>
    applied
      .filter((limit) => needsAgents(limit) === wanted)
      .map((limit) => rateStep(limit, request, rateLimit?.name ?? null));
  return { before: steps(false), after: steps(true) };
};

/** The limits of a body and of concurrent requests. */
export const explainLimits = ({ limits }: GatewayConfiguration, route: RouteConfiguration): ExplainedStep => {
  const body = bodySizeLimit(route.policies.maxBodySize, limits.maxBodySizeBytes);
  const hasSlot = route.builtinHandler === null;
  const { maxConnectionsPerRoute, maxInFlightRequests, maxQueuedRequests } = limits;
  return step(
    'limits',
    [
      `${body.name}: at most ${body.octets} bytes`,
      hasSlot
        ? `at most ${maxConnectionsPerRoute} requests of the route and ${maxInFlightRequests} in all at once; ${maxQueuedRequests} may queue`
        : 'no slot: built-in endpoints answer under load',
    ],
    {
      body: { limit: body.name, bytes: body.octets },
      ...(hasSlot && {
        concurrency: { route: maxConnectionsPerRoute, gateway: maxInFlightRequests, queue: maxQueuedRequests },
      }),
    },
  );
};
