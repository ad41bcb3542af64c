import { block, foreign, replaced, unsupported } from '../../configuration/schema/block-keys.js';
import { withDefault } from '../../configuration/schema/scalar-keys.js';
import { decimal, integer, oneOf, seconds } from '../../configuration/schema/scalar-kind.js';
import { hashKeyKind, loadBalancing, stickyCookie } from './balancing-schema.js';
import { targetBreaker } from './circuit-breaker-schema.js';
import { type UpstreamHttpVersion, upstreamHttpVersions } from './gateway-configuration.js';
import { healthCheck } from './health-check-schema.js';
import { readTimeout, requestTimeout } from './policies-schema.js';
import { target } from './target-key.js';

/** By what nginx, HAProxy, Envoy, Caddy and others call it. */
const otherNames: ReadonlyMap<string, UpstreamHttpVersion> = new Map([
  ['1', '1.1'],
  ['1.0', '1.1'],
  ['http1', '1.1'],
  ['http/1', '1.1'],
  ['http1.1', '1.1'],
  ['http/1.1', '1.1'],
  ['2.0', '2'],
  ['h2', '2'],
  ['h2c', '2'],
  ['http2', '2'],
  ['http/2', '2'],
  ['http/2.0', '2'],
  ['grpc', '2'],
]);

const versions = oneOf(upstreamHttpVersions, [], (text) => otherNames.get(text.toLowerCase()) ?? null);

/** Without quotes it reads as a number. */
const version: typeof versions = {
  ...versions,
  read: (scalar) => versions.read(typeof scalar.value === 'number' ? { ...scalar, value: `${scalar.value}` } : scalar),
};

const httpVersion = withDefault(
  version,
  '1.1',
  '`1.1`',
  'What is spoken to the targets. `2` is HTTP/2 from the first octet on, without TLS (prior knowledge): for gRPC, and for targets that take it on the same port.',
);

const timeoutsShape = {
  'connect-secs': withDefault(seconds(1, 3600), 10_000, '10', 'Until a connection stands.'),
  'request-secs': withDefault(seconds(1, 86_400), 60_000, '60', requestTimeout),
  'read-secs': withDefault(seconds(1, 86_400), 30_000, '30', `${readTimeout} Until the head, \`request-secs\` counts.`),
  'write-secs': foreign('`read-secs` counts while a target takes nothing of a body, too', 'take it out'),
};

const poolShape = {
  'max-connections': withDefault(integer(1, 100_000), 1024, '1024', 'Connections to each target.'),
  'max-idle': withDefault(
    integer(0, 100_000),
    20,
    '20',
    'Connections to each target that are kept while nothing uses them; no more than `max-connections`. Others are closed one to two seconds after they were used last; with 0 all are, at once.',
  ),
  'idle-timeout-secs': foreign('connections beyond `max-idle` are closed when they are idle', 'write max-idle'),
  'max-lifetime-secs': foreign('connections have no age', 'take it out'),
};

const retriesShape = {
  'max-attempts': withDefault(integer(1, 10), 3, '3', 'How often a request is sent, the first time included. 1: once.'),
  'budget-percent': withDefault(
    decimal(0, 100),
    20,
    '20',
    'Retries for each 100 requests of the upstream, at most: an upstream that fails as a whole is not sent more for it.',
  ),
};

export const upstreamShape = {
  targets: block({ target }, 'The targets.'),
  target,
  timeouts: block(timeoutsShape, 'Time-outs.'),
  'connection-pool': block(poolShape, 'Connections.'),
  'http-version': httpVersion,
  'health-check': healthCheck,
  'circuit-breaker': targetBreaker({
    standard:
      'see its keys, where there are several targets or a name, but for the last target that is left; else none',
    meaning: 'Leave a target alone, for a while, once requests to it have failed in a row.',
  }),
  'load-balancing': loadBalancing,
  'hash-key': hashKeyKind,
  'sticky-cookie': stickyCookie,
  retries: block(
    retriesShape,
    'When a request is sent again, to another target: where nothing was sent yet, or its method is idempotent and no response has come.',
  ),
  'dns-refresh-secs': withDefault(
    seconds(1, 86_400),
    30_000,
    '30',
    'How often the names of targets are looked up again.',
  ),
  tls: unsupported(
    'the gateway speaks plain HTTP to targets',
    'leave tls out where the targets take plain HTTP, or put a TLS client such as stunnel or nginx between',
  ),
  'timeout-secs': replaced(
    'the block `timeouts` has taken its place',
    'write timeouts { connect-secs 10; request-secs 60 }',
  ),
};
