import { block, foreign, replaced } from '../../configuration/schema/block-keys.js';
import { isAuthority } from '../../configuration/schema/network-kinds.js';
import { withDefault } from '../../configuration/schema/scalar-keys.js';
import { decimal, integer, oneOf, type ScalarKind, seconds, text } from '../../configuration/schema/scalar-kind.js';
import { err, ok } from '../../shared/result.js';
import { hashKeyKind, loadBalancing, stickyCookie } from './balancing-schema.js';
import { targetBreaker } from './circuit-breaker-schema.js';
import { type HostHeader, type UpstreamHttpVersion, upstreamHttpVersions } from './gateway-configuration.js';
import { healthCheck } from './health-check-schema.js';
import { readTimeout, requestTimeout } from './policies-schema.js';
import { target } from './target-key.js';
import { upstreamTls } from './upstream-tls-schema.js';

/** Names that nginx, HAProxy, Envoy, Caddy and others use. */
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

/** KDL reads an unquoted version as a number. */
const version: typeof versions = {
  ...versions,
  read: (scalar) => versions.read(typeof scalar.value === 'number' ? { ...scalar, value: `${scalar.value}` } : scalar),
};

const httpVersion = withDefault(
  version,
  '1.1',
  '`1.1`',
  'HTTP version of requests to the targets. `2`: HTTP/2, which gRPC needs; with prior knowledge unless there is `tls`. `auto`: the target selects HTTP/2 or HTTP/1.1 in the TLS handshake (ALPN); needs `tls`.',
);

const preserveHost: HostHeader = { kind: 'preserve' };

const hostHeader: ScalarKind<HostHeader> = {
  label: '`preserve`, `target` or a host name',
  fallback: preserveHost,
  secret: false,
  read: (scalar) => {
    const read = text.read(scalar);
    if (!read.ok) return read;
    const { value } = read;
    if (value === 'preserve' || value === 'target') return ok({ kind: value });
    if (isAuthority(value)) return ok({ kind: 'fixed', host: value });
    const shown = scalar.hidden ? '' : `, not "${value.slice(0, 80)}"`;
    return err({ message: `must be "preserve", "target" or a host name${shown}` });
  },
};

const timeoutsShape = {
  'connect-secs': withDefault(seconds(1, 3600), 10_000, '10', 'How long opening a connection may take.'),
  'request-secs': withDefault(seconds(1, 86_400), 60_000, '60', requestTimeout),
  'read-secs': withDefault(
    seconds(1, 86_400),
    30_000,
    '30',
    `${readTimeout} \`request-secs\` limits the time before the response head.`,
  ),
  'write-secs': foreign('`read-secs` also limits how long a target accepts no part of a body', 'delete the line'),
};

const poolShape = {
  'max-connections': withDefault(integer(1, 100_000), 1024, '1024', 'Largest number of connections to each target.'),
  'max-idle': withDefault(
    integer(0, 100_000),
    20,
    '20',
    'Idle connections to keep for each target, up to `max-connections`. Others close one to two seconds after their last use; 0 closes all at once.',
  ),
  'idle-timeout-secs': foreign('idle connections above `max-idle` close by themselves', 'write max-idle'),
  'max-lifetime-secs': foreign('connections have no maximum age', 'delete the line'),
};

const retriesShape = {
  'max-attempts': withDefault(integer(1, 10), 3, '3', 'Attempts for each request, including the first. 1: no retries.'),
  'budget-percent': withDefault(
    decimal(0, 100),
    20,
    '20',
    'Largest number of retries for each 100 requests of the upstream. It limits the extra load on a failing upstream.',
  ),
};

export const upstreamShape = {
  targets: block({ target }, 'Targets of the upstream.'),
  target,
  timeouts: block(timeoutsShape, 'Timeouts of connections and requests to the targets.'),
  'connection-pool': block(poolShape, 'Connections to the targets.'),
  'http-version': httpVersion,
  'health-check': healthCheck,
  'circuit-breaker': targetBreaker({
    standard:
      'with several targets or a host name: the defaults of its keys, sparing the last available target; else none',
    meaning: 'After consecutive failures, send no requests to a target for a while.',
  }),
  'load-balancing': loadBalancing,
  'hash-key': hashKeyKind,
  'sticky-cookie': stickyCookie,
  retries: block(
    retriesShape,
    'Retry a request on another target if nothing was sent yet, or if the method is idempotent and no response has arrived.',
  ),
  'dns-refresh-secs': withDefault(
    seconds(1, 86_400),
    30_000,
    '30',
    'How often the gateway resolves the host names of targets again.',
  ),
  tls: upstreamTls,
  'host-header': withDefault(
    hostHeader,
    preserveHost,
    '`preserve`',
    'Host that the targets get: `preserve`, as the client sent it; `target`, the address of the target; or a name.',
  ),
  'timeout-secs': replaced('use the block `timeouts`', 'write timeouts { connect-secs 10; request-secs 60 }'),
};
