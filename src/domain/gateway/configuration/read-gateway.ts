import type { NamedBlock } from '../../configuration/schema/block-keys.js';
import type { Fields, Located } from '../../configuration/schema/schema.js';
import type { agentShape } from './agent-schema.js';
import type { TargetConfiguration } from './gateway-configuration.js';
import type { gatewayShape } from './gateway-schema.js';
import type { listenerShape } from './listener-schema.js';
import type { routeShape } from './route-schema.js';
import type { upstreamShape } from './upstream-schema.js';

/** A configuration whose keys are read, but not yet checked against each other. */
export type ReadGateway = Fields<typeof gatewayShape>;
export type ReadListener = NamedBlock<typeof listenerShape>;
export type ReadRoute = NamedBlock<typeof routeShape>;
export type ReadUpstream = NamedBlock<typeof upstreamShape>;
export type ReadAgent = NamedBlock<typeof agentShape>;

export const listenersOf = (gateway: ReadGateway): readonly ReadListener[] => gateway.listeners.value.listener.value;
export const routesOf = (gateway: ReadGateway): readonly ReadRoute[] => gateway.routes.value.route.value;
export const upstreamsOf = (gateway: ReadGateway): readonly ReadUpstream[] => gateway.upstreams.value.upstream.value;
export const agentsOf = (gateway: ReadGateway): readonly ReadAgent[] => gateway.agents.value.agent.value;

/** In the order of the file, but those of the block `targets` first. */
export const targetsOf = ({ fields }: ReadUpstream): readonly Located<TargetConfiguration>[] => [
  ...fields.targets.value.target.value,
  ...fields.target.value,
];
