import { isUnixSocket } from '../../configuration/network-addresses.js';
import { block, foreign, type NamedBlock, replaced } from '../../configuration/schema/block-keys.js';
import { isAuthority } from '../../configuration/schema/network-kinds.js';
import { withDefault } from '../../configuration/schema/scalar-keys.js';
import { decimal, integer, oneOf, type ScalarKind, seconds, text } from '../../configuration/schema/scalar-kind.js';
import type { Located } from '../../configuration/schema/schema.js';
import { parseIpAddress } from '../../http/ip-address.js';
import { err, ok } from '../../shared/result.js';
import type { CircuitBreakerRules } from '../circuit-breaking/circuit-breaker.js';
import { hashKeyKind, loadBalancing, stickyCookie, toBalancing, toStickyCookie } from './balancing-schema.js';
import { standardBreaker, targetBreaker, toBreaker } from './circuit-breaker-schema.js';
import {
  type HostHeader,
  type TargetConfiguration,
  type UpstreamConfiguration,
  type UpstreamHttpVersion,
  upstreamHttpVersions,
} from './gateway-configuration.js';
import { healthCheck, toHealthCheck } from './health-check-schema.js';
import { readTimeout, requestTimeout } from './policies-schema.js';
import { target } from './target-key.js';
import { keptIdleConnections } from './upstream-options.js';
import { toUpstreamTls, upstreamTls } from './upstream-tls-schema.js';

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

/** The remedy for a URL, and for the variables of nginx. */
const hostSuggestion = (value: string): string | null => {
  if (value === '$proxy_host') return 'write "target"';
  if (value === '$host' || value === '$http_host') return 'write "preserve"';
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#@]+)/i.exec(value)?.[1] ?? '';
  return isAuthority(authority) ? `write "${authority}"` : null;
};

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
    const message = 'must be "preserve", "target" or a host name';
    if (scalar.hidden) return err({ message });
    return err({ message: `${message}, not "${value.slice(0, 80)}"`, suggestion: hostSuggestion(value) });
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

/** An upstream whose keys are read, but not yet checked against each other. */
export type ReadUpstream = NamedBlock<typeof upstreamShape>;

/** In the order of the file, but those of the block `targets` first. */
export const targetsOf = ({ fields }: ReadUpstream): readonly Located<TargetConfiguration>[] => [
  ...fields.targets.value.target.value,
  ...fields.target.value,
];

/** Whether there may be an alternative to a failing target. A host name may have several addresses. */
export const hasChoice = (targets: readonly Pick<TargetConfiguration, 'address'>[]): boolean =>
  targets.length > 1 || targets.some(({ address }) => !isUnixSocket(address) && parseIpAddress(address.host) === null);

/** Without a block, the standard breaker applies if there may be an alternative target. */
const breakerOf = (
  { 'circuit-breaker': breaker }: ReadUpstream['fields'],
  targets: readonly TargetConfiguration[],
): CircuitBreakerRules | null => {
  if (!breaker.given) return hasChoice(targets) ? standardBreaker : null;
  return breaker.value === null ? null : toBreaker(breaker.value);
};

/** Converts an upstream that has no errors. */
export const toUpstream = (upstream: ReadUpstream): UpstreamConfiguration => {
  const { name, fields } = upstream;
  const timeouts = fields.timeouts.value;
  const pool = fields['connection-pool'].value;
  const healthCheck = fields['health-check'].value;
  const sticky = fields['sticky-cookie'].value;
  const retries = fields.retries.value;
  const breaker = fields['circuit-breaker'];
  const httpVersion = fields['http-version'].value;
  const targets = targetsOf(upstream).map(({ value }) => value);
  return {
    name: name.value,
    targets,
    timeouts: {
      connectMs: timeouts['connect-secs'].value,
      readMs: timeouts['read-secs'].value,
      requestMs: timeouts['request-secs'].value,
    },
    maxConnections: pool['max-connections'].value,
    maxIdle: keptIdleConnections(pool['max-idle'].value, pool['max-connections'].value),
    healthCheck: healthCheck === null ? null : toHealthCheck(healthCheck, httpVersion),
    targetBreaker: breakerOf(fields, targets),
    // The default breaker must not remove the last target.
    sparesLastTarget: breaker.given ? (breaker.value?.['spare-last-target'].value ?? false) : true,
    balancing: toBalancing(fields['load-balancing'].value, fields['hash-key'].value),
    stickyCookie: sticky === null ? null : toStickyCookie(sticky),
    retries: { maxAttempts: retries['max-attempts'].value, budgetPercent: retries['budget-percent'].value },
    dnsRefreshMs: fields['dns-refresh-secs'].value,
    httpVersion,
    tls: toUpstreamTls(fields.tls.value),
    hostHeader: fields['host-header'].value,
  };
};
