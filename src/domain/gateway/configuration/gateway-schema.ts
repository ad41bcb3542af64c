import { block, foreign, group, namedBlocks, optionalBlock, replaced } from '../../configuration/schema/block-keys.js';
import { optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { checkedText, integer, seconds } from '../../configuration/schema/scalar-kind.js';
import { adminShape } from './admin-schema.js';
import { agentShape } from './agent-schema.js';
import { audit } from './audit-schema.js';
import { limitsShape } from './limits-schema.js';
import { listenerShape } from './listener-schema.js';
import { routeShape } from './route-schema.js';
import { tracing } from './tracing-schema.js';
import { upstreamShape } from './upstream-schema.js';

const instanceName = checkedText('printable text, 128 characters at most', (value) =>
  /^[\x20-\x7e]{1,128}$/.test(value) ? null : { message: 'must be printable ASCII, 128 characters at most' },
);

const systemShape = {
  instance: optional(instanceName, 'Value of the label `instance` of metrics. Without it: the name of the host.'),
  'graceful-shutdown-timeout-secs': withDefault(
    seconds(0, 3600),
    30_000,
    '30',
    'How long a drain waits for requests in flight before it ends them.',
  ),
  'shutdown-delay-secs': withDefault(
    seconds(0, 600),
    0,
    '0',
    'How long connections are still taken once the gateway is to end, while /ready says 503 already: as long as a balancer needs to see it.',
  ),
  'worker-threads': withDefault(
    integer(0, 256),
    0,
    '0',
    'Processes that serve requests, under one that watches them. 0: as many as there are cores. 1: one process does all.',
  ),
  'max-connections': foreign('`limits` holds it', 'write limits { max-total-connections 10000 }'),
  'auto-reload': foreign('a file is loaded again when it is asked for', 'run gateway reload, or send SIGHUP'),
  daemon: foreign('the gateway runs in the foreground', 'have systemd or a container run it'),
  user: foreign('the gateway does not change its user', 'have systemd or a container start it as that user'),
  group: foreign('the gateway does not change its group', 'have systemd or a container start it with that group'),
  'pid-file': foreign('it is an option of the program', 'start the gateway with --pid-file FILE'),
  'http-engine': replaced('the gateway has one HTTP engine', 'delete the line, or run gateway config migrate'),
};

const serverReplacement = replaced('`system` has taken its place', 'write system { ... }');

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
