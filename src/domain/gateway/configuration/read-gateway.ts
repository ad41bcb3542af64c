import type { NamedBlock } from '../../configuration/schema/block-keys.js';
import type { Fields } from '../../configuration/schema/schema.js';
import type { agentShape } from './agent-schema.js';
import type { gatewayShape } from './gateway-schema.js';
import type { listenerShape } from './listener-schema.js';
import type { policiesShape } from './policies-schema.js';
import type { RateLimitFields, rateLimitShape } from './rate-limit-schema.js';
import type { routeShape } from './route-schema.js';
import type { ReadUpstream } from './upstream-schema.js';

/** A configuration whose keys are read, but not yet checked against each other. */
export type ReadGateway = Fields<typeof gatewayShape>;
export type ReadListener = NamedBlock<typeof listenerShape>;
export type ReadRoute = NamedBlock<typeof routeShape>;
export type ReadAgent = NamedBlock<typeof agentShape>;
export type ReadPolicies = Fields<typeof policiesShape>;
export type ReadRateLimit = NamedBlock<typeof rateLimitShape>;

export const listenersOf = (gateway: ReadGateway): readonly ReadListener[] => gateway.listeners.value.listener.value;
export const routesOf = (gateway: ReadGateway): readonly ReadRoute[] => gateway.routes.value.route.value;
export const upstreamsOf = (gateway: ReadGateway): readonly ReadUpstream[] => gateway.upstreams.value.upstream.value;
export const agentsOf = (gateway: ReadGateway): readonly ReadAgent[] => gateway.agents.value.agent.value;

/** The name, in messages, of a route on which the gateway itself answers; null: another route. */
export const answeringRoute = ({ fields }: ReadRoute): string | null => {
  if (fields['builtin-handler'].given) return 'a builtin route';
  if (fields.redirect.given) return 'a route with redirect';
  return fields.respond.given ? 'a route with respond' : null;
};

export const namedRateLimitsOf = (gateway: ReadGateway): readonly ReadRateLimit[] => gateway['rate-limit'].value;

/** The rate limit of a route, its own or the one that it names; null: none, or the name is unknown. */
export const rateLimitOfRoute = (gateway: ReadGateway, route: ReadRoute): RateLimitFields | null => {
  const written = route.fields.policies.value['rate-limit'].value;
  if (written?.kind !== 'named') return written?.fields ?? null;
  return namedRateLimitsOf(gateway).find(({ name }) => name.value === written.name.value)?.fields ?? null;
};

/** The policies of `defaults`. */
export const defaultPoliciesOf = (gateway: ReadGateway): ReadPolicies => gateway.defaults.value.policies.value;
