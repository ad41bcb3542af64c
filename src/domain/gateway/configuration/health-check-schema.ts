import { block, custom } from '../../configuration/schema/block-keys.js';
import { didYouMean } from '../../configuration/schema/did-you-mean.js';
import { inside, readMembers, refuseRepetition } from '../../configuration/schema/read-block.js';
import { fractionalSeconds, list, optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { checkedText, integer, type ScalarKind } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key, ReadContext } from '../../configuration/schema/schema.js';
import { switchedBlock } from '../../configuration/schema/switched-block.js';
import { hasMembers, members, type Setting } from '../../configuration/setting/setting.js';
import { parseAuthority } from '../../http/request-target.js';
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
  return { message: `must be printable ASCII without spaces and #, at most ${longestPath} characters` };
});

const probeHost = checkedText('host, optionally with a port', (value) =>
  parseAuthority(value).ok
    ? null
    : {
        message: `must be a host, not "${value.slice(0, 80)}"`,
        suggestion: 'write "app.example" or "app.example:8080"',
      },
);

const serviceName = checkedText('gRPC service name', (value) =>
  /^[A-Za-z0-9_./-]{1,256}$/.test(value) ? null : { message: 'must be a gRPC service name, such as "shop.v1.Orders"' },
);

/** The empty name means the whole server (grpc.health.v1). */
const service: ScalarKind<string> = {
  ...serviceName,
  read: (scalar) => (scalar.value === '' ? ok('') : serviceName.read(scalar)),
};

const httpShape = {
  path: withDefault(probePath, '/health', '`/health`', 'Path, and optionally query, of the GET request.'),
  'expected-status': list(
    integer(100, 599),
    'Statuses of a healthy target. The check does not follow redirects.',
    [200],
    '200',
  ),
  host: optional(probeHost, 'Value of the `Host` header. Without it: the address of the target.'),
};

const grpcShape = {
  service: withDefault(service, '', '`""`', 'Service to ask about. Empty: the whole server.'),
};

/** For the reference page. */
const probeShape = {
  http: block(httpShape, 'A GET request on a new connection. It uses HTTP/1.1, or HTTP/2 with `http-version "2"`.'),
  grpc: block(grpcShape, 'A call of the standard health service, `grpc.health.v1.Health/Check`.'),
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
      ? 'type "tcp" takes no block: the check only opens a connection'
      : `"type" must be "http", "tcp" or "grpc", not "${kind.slice(0, 80)}"`,
    { position: setting.position, path: where.path, suggestion: kind === 'tcp' ? null : didYouMean(kind, kinds) },
  );
  return null;
};

/** `type "http" { path "/health" }`, `type "tcp"`, `type "grpc" { service "name" }`. Null: an error. */
const healthProbe: Key<HealthProbe | null> = custom(
  '`http`, `tcp` or `grpc`; `http` and `grpc` may have a block',
  'required',
  'Kind of check, such as `type "http" { path "/health" }`. The block is optional.',
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
      context.report.add(`"${name}" needs exactly one kind of check, written as plain text`, {
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

/** Default of `timeout-secs`, in seconds. */
export const standardHealthTimeoutSecs = (intervalSecs: number): number => Math.min(standardTimeoutSecs, intervalSecs);

const count = integer(1, 1000);

const shape = {
  type: healthProbe,
  'interval-secs': withDefault(fractionalSeconds(0.1, 86_400), 10_000, '10', 'Time between two checks of a target.'),
  'timeout-secs': optional(
    fractionalSeconds(0.1, 3600),
    'How long a check may take. Without it: 5, or `interval-secs` if that is shorter.',
  ),
  'healthy-threshold': withDefault(count, 2, '2', 'Consecutive successful checks that make a target healthy.'),
  'unhealthy-threshold': withDefault(
    count,
    3,
    '3',
    'Consecutive failed checks that make a target unhealthy. The very first check decides alone.',
  ),
};

export type HealthCheckFields = Fields<typeof shape>;

export const healthCheck = switchedBlock(shape, null, {
  standard: 'none',
  meaning: 'Check targets actively. Without the block a target counts as healthy until requests to it fail.',
});

/** A check uses the HTTP version of requests: a target may support no other. */
const spoken = (probe: HealthProbe, version: UpstreamHttpVersion): HealthProbe =>
  probe.kind === 'http' ? { ...probe, kind: probeKinds[version] } : probe;

const probeKinds = { '1.1': 'http', '2': 'http2', auto: 'http_auto' } as const;

/** Converts a block `health-check` that has no errors. */
export const toHealthCheck = (fields: HealthCheckFields, version: UpstreamHttpVersion): HealthCheck => {
  const intervalMs = fields['interval-secs'].value;
  return {
    // A missing type is an error, so the fallback is never used.
    probe: spoken(fields.type.value ?? { kind: 'tcp' }, version),
    intervalMs,
    timeoutMs: fields['timeout-secs'].value ?? standardHealthTimeoutSecs(intervalMs / 1000) * 1000,
    healthyThreshold: fields['healthy-threshold'].value,
    unhealthyThreshold: fields['unhealthy-threshold'].value,
  };
};
