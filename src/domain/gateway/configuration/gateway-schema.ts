import { block, foreign, group, namedBlocks, optionalBlock, replaced } from '../../configuration/schema/block-keys.js';
import { optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { checkedText, integer, oneOf, seconds } from '../../configuration/schema/scalar-kind.js';
import { adminShape } from './admin-schema.js';
import { agentShape } from './agent-schema.js';
import { audit } from './audit-schema.js';
import { defaults } from './defaults-schema.js';
import { errorPages } from './error-pages-schema.js';
import { limitsShape } from './limits-schema.js';
import { listenerShape } from './listener-schema.js';
import { rateLimitShape } from './rate-limit-schema.js';
import { routeShape } from './route-schema.js';
import { tracing } from './tracing-schema.js';
import { upstreamShape } from './upstream-schema.js';

const instanceName = checkedText('printable text, at most 128 characters', (value) =>
  /^[\x20-\x7e]{1,128}$/.test(value) ? null : { message: 'must be printable ASCII, at most 128 characters' },
);

const systemShape = {
  instance: optional(instanceName, 'Value of the metric label `instance`. Without it: the host name.'),
  'graceful-shutdown-timeout-secs': withDefault(
    seconds(0, 3600),
    30_000,
    '30',
    'How long shutdown waits for requests in flight. Then it aborts them.',
  ),
  'shutdown-delay-secs': withDefault(
    seconds(0, 600),
    0,
    '0',
    'How long a stopping gateway still accepts connections while `/ready` answers 503. Give the load balancer time to notice.',
  ),
  'worker-threads': withDefault(
    integer(0, 256),
    0,
    '0',
    'Worker processes under a supervisor. 0: one for each core. 1: a single process without a supervisor.',
  ),
  sockets: withDefault(
    oneOf(['auto', 'native', 'node']),
    'auto',
    '`auto`',
    'What carries plain TCP connections. `native` is the addon of the package, on Linux; it needs less CPU. `node` is node:net. `auto` uses the addon where it loads; `native` refuses to start without it.',
  ),
  'max-connections': foreign('it belongs in `limits`', 'write limits { max-total-connections 10000 }'),
  'auto-reload': foreign('the gateway reloads only on request', 'run gateway reload, or send SIGHUP'),
  daemon: foreign('the gateway runs in the foreground', 'run it under systemd or in a container'),
  user: foreign('the gateway does not change its user', 'set the user in systemd or in the container'),
  group: foreign('the gateway does not change its group', 'set the group in systemd or in the container'),
  'pid-file': foreign('it is a command-line option', 'start the gateway with --pid-file FILE'),
  'http-engine': replaced('the gateway has one HTTP engine', 'delete the line, or run gateway config migrate'),
};

const serverReplacement = replaced(
  'use `system`',
  'write system { ... }; for a server of nginx, write a listener and routes',
);

const belongsIn = (name: string, groupName: string) =>
  replaced(`it belongs in \`${groupName}\``, `write ${groupName} { ${name} "name" { ... } }`);

/** All top-level keys of the gateway's configuration. */
export const gatewayShape = {
  system: block(systemShape, 'Settings of the gateway process.'),
  listeners: group(
    { listener: namedBlocks(listenerShape, 'An address that accepts requests.') },
    'Addresses that accept requests.',
  ),
  defaults,
  routes: group(
    { route: namedBlocks(routeShape, 'Which requests match, and where they go.') },
    'Which requests go where.',
  ),
  upstreams: group(
    { upstream: namedBlocks(upstreamShape, 'A group of servers that answer requests.') },
    'Servers that answer requests.',
  ),
  agents: group(
    { agent: namedBlocks(agentShape, 'An agent that decides about requests.') },
    'Agents that decide about requests.',
  ),
  'rate-limit': namedBlocks(
    rateLimitShape,
    'A rate limit that several routes share: each names it in `policies { rate-limit "name" }`. With key `route` it counts all these routes together.',
  ),
  limits: block(limitsShape, 'Limits for the whole gateway.'),
  admin: optionalBlock(adminShape, 'Serve the admin endpoints. Without the block there are none.'),
  tracing,
  audit,
  'error-pages': errorPages('errors of the gateway and of its agents'),
  observability: foreign(
    'its settings are in other blocks',
    'metrics: write admin { address "127.0.0.1:9090" }; tracing: write tracing { endpoint "..." }; logging: set RUST_LOG and GATEWAY_LOG_FORMAT',
  ),
  server: serverReplacement,
  listener: belongsIn('listener', 'listeners'),
  route: belongsIn('route', 'routes'),
  upstream: belongsIn('upstream', 'upstreams'),
  agent: belongsIn('agent', 'agents'),
};
