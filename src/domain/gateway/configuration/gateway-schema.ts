import { block, foreign, group, namedBlocks, optionalBlock, replaced } from '../../configuration/schema/block-keys.js';
import { adminShape } from './admin-schema.js';
import { agentShape } from './agent-schema.js';
import { audit } from './audit-schema.js';
import { limitsShape } from './limits-schema.js';
import { listenerShape } from './listener-schema.js';
import { routeShape } from './route-schema.js';
import { serverReplacement, systemShape } from './system-schema.js';
import { tracing } from './tracing-schema.js';
import { upstreamShape } from './upstream-schema.js';

const belongsIn = (name: string, groupName: string) =>
  replaced(`it belongs in \`${groupName}\``, `write ${groupName} { ${name} "name" { ... } }`);

/** Everything a configuration of the gateway can hold. */
export const gatewayShape = {
  system: block(systemShape, 'The process.'),
  listeners: group({ listener: namedBlocks(listenerShape, 'An address that takes requests.') }, 'The listeners.'),
  routes: group({ route: namedBlocks(routeShape, 'What happens to which request.') }, 'The routes.'),
  upstreams: group({ upstream: namedBlocks(upstreamShape, 'Servers that answer requests.') }, 'The upstreams.'),
  agents: group({ agent: namedBlocks(agentShape, 'An agent that judges requests.') }, 'The agents.'),
  limits: block(limitsShape, 'Limits of the whole gateway.'),
  admin: optionalBlock(adminShape, 'The admin endpoints. Without the block none are served.'),
  tracing,
  audit,
  observability: foreign(
    'its parts stand in other blocks',
    'metrics: write admin { address "127.0.0.1:9090" }; tracing: write tracing { endpoint "..." }; logging: set RUST_LOG and GATEWAY_LOG_FORMAT',
  ),
  server: serverReplacement,
  listener: belongsIn('listener', 'listeners'),
  route: belongsIn('route', 'routes'),
  upstream: belongsIn('upstream', 'upstreams'),
  agent: belongsIn('agent', 'agents'),
};
