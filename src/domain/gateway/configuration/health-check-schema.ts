import { block, custom } from '../../configuration/schema/block-keys.js';
import { didYouMean } from '../../configuration/schema/did-you-mean.js';
import { inside, readMembers, refuseRepetition } from '../../configuration/schema/read-block.js';
import { fractionalSeconds, list, optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { checkedText, integer, type ScalarKind } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key, ReadContext } from '../../configuration/schema/schema.js';
import { switchedBlock } from '../../configuration/schema/switched-block.js';
import { hasMembers, members, type Setting } from '../../configuration/setting/setting.js';
import { parseAuthority } from '../../http/host.js';
import { ok } from '../../shared/result.js';
import type { UpstreamHttpVersion } from './gateway-configuration.js';
import type { HealthCheck, HealthProbe } from './upstream-options.js';

const longestPath = 2048;

/** Path and query of a request target (RFC 9112, section 3.2.1). */
const probePath = checkedText('path that begins with /', (value) => {
  if (!value.startsWith('/')) {
    return { message: 'must begin with a slash', suggestion: `did you mean "/${value.slice(0, 80)}"?` };
  }
  if (value.length <= longestPath && /^[\x21\x22\x24-\x7e]+$/.test(value)) return null;
  return { message: `must be printable ASCII without spaces and #, ${longestPath} characters at most` };
});

const probeHost = checkedText('host, with a port or without', (value) =>
  parseAuthority(value).ok
    ? null
    : {
        message: `must be a host, not "${value.slice(0, 80)}"`,
        suggestion: 'write "app.example" or "app.example:8080"',
      },
);

const serviceName = checkedText('name of a gRPC service', (value) =>
  /^[A-Za-z0-9_./-]{1,256}$/.test(value) ? null : { message: 'must be the name of a gRPC service: "shop.v1.Orders"' },
);

/** The empty name asks about the server as a whole (grpc.health.v1). */
const service: ScalarKind<string> = {
  ...serviceName,
  read: (scalar) => (scalar.value === '' ? ok('') : serviceName.read(scalar)),
};

const httpShape = {
  path: withDefault(probePath, '/health', '`/health`', 'What is asked for with GET: a path, and a query.'),
  'expected-status': list(
    integer(100, 599),
    'Statuses that say that it is well. A redirect is not followed.',
    [200],
    '200',
  ),
  host: optional(probeHost, 'The Host field. Without it: the address of the target.'),
};

const grpcShape = {
  service: withDefault(service, '', '`""`', 'The service that is asked about. Empty: the server as a whole.'),
};

/** For the reference page. */
const probeShape = {
  http: block(httpShape, 'A request over HTTP/1.1, or HTTP/2 with `http-version "2"`, on a connection of its own.'),
  grpc: block(grpcShape, 'The standard health service, `grpc.health.v1.Health/Check`, in plaintext.'),
};

const kinds = ['http', 'tcp', 'grpc'];

const readProbe = (kind: string, setting: Setting, context: ReadContext): HealthProbe | null => {
  const where = inside(context, setting);
  if (kind === 'http') {
    const { path, 'expected-status': statuses, host } = readMembers(httpShape, members(setting), where);
    if (!path.sound || !statuses.sound || !host.sound) return null;
    const expected = [...new Set(statuses.value.map(({ value }) => value))];
    return { kind, path: path.value, expectedStatuses: expected.length === 0 ? [200] : expected, host: host.value };
  }
  if (kind === 'grpc') {
    const read = readMembers(grpcShape, members(setting), where);
    return read.service.sound ? { kind, service: read.service.value } : null;
  }
  if (kind === 'tcp' && !hasMembers(setting)) return { kind };
  context.report.add(
    kind === 'tcp'
      ? 'type "tcp" takes no block: a connection is all that is tried'
      : `"type" must be "http", "tcp" or "grpc", not "${kind.slice(0, 80)}"`,
    { position: setting.position, path: where.path, suggestion: kind === 'tcp' ? null : didYouMean(kind, kinds) },
  );
  return null;
};

/** `type "http" { path "/health" }`, `type "tcp"`, `type "grpc" { service "name" }`. Null where it is wrong. */
const healthProbe: Key<HealthProbe | null> = custom(
  '`http` and a block, `tcp`, or `grpc` and a block',
  'required',
  'How a target is asked. `type "http" { path "/health" }`; the block may be left out.',
  (name, settings, context) => {
    const [setting] = settings;
    if (setting === undefined) {
      context.report.add(`"${name}" is missing`, {
        position: context.position,
        path: context.path,
        suggestion: 'write type "http" { path "/health" }',
      });
      return { value: null, given: false, sound: false, position: null };
    }
    refuseRepetition(settings, context, false);
    const { position } = setting;
    const [kind, more] = setting.args;
    if (kind?.unresolved === true) return { value: null, given: true, sound: false, position };
    if (typeof kind?.value !== 'string' || more !== undefined || kind.hidden) {
      context.report.add(`"${name}" takes one kind of check, written where it is used`, {
        position,
        path: [...context.path, name],
        suggestion: 'write type "http" { path "/health" }, type "tcp", or type "grpc" { service "name" }',
      });
      return { value: null, given: true, sound: false, position };
    }
    const value = readProbe(kind.value, setting, context);
    return { value, given: true, sound: value !== null && settings.length === 1, position };
  },
  probeShape,
);

const standardTimeoutSecs = 5;

/** How long a check may take where nothing is said of it. */
export const standardHealthTimeoutSecs = (intervalSecs: number): number => Math.min(standardTimeoutSecs, intervalSecs);

const count = integer(1, 1000);

const shape = {
  type: healthProbe,
  'interval-secs': withDefault(fractionalSeconds(0.1, 86_400), 10_000, '10', 'From one check of a target to the next.'),
  'timeout-secs': optional(
    fractionalSeconds(0.1, 3600),
    'How long a check may take. Without it: 5, or the interval where that is shorter.',
  ),
  'healthy-threshold': withDefault(count, 2, '2', 'Checks that succeed in a row until a target is well again.'),
  'unhealthy-threshold': withDefault(
    count,
    3,
    '3',
    'Checks that fail in a row until a target gets no more requests. The very first check decides alone.',
  ),
};

export type HealthCheckFields = Fields<typeof shape>;

export const healthCheck = switchedBlock(shape, null, {
  standard: 'none',
  meaning: 'Checks whether the targets are there. Without the block: they are taken to be, until requests fail.',
});

/** Requests and checks speak the same: a target may speak nothing else. */
const spoken = (probe: HealthProbe, version: UpstreamHttpVersion): HealthProbe =>
  probe.kind === 'http' && version === '2' ? { ...probe, kind: 'http2' } : probe;

/** A block `health-check` that was read without an error. */
export const toHealthCheck = (fields: HealthCheckFields, version: UpstreamHttpVersion): HealthCheck => {
  const intervalMs = fields['interval-secs'].value;
  return {
    // What has no type was refused.
    probe: spoken(fields.type.value ?? { kind: 'tcp' }, version),
    intervalMs,
    timeoutMs: fields['timeout-secs'].value ?? standardHealthTimeoutSecs(intervalMs / 1000) * 1000,
    healthyThreshold: fields['healthy-threshold'].value,
    unhealthyThreshold: fields['unhealthy-threshold'].value,
  };
};
