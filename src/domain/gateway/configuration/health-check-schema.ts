import { fractionalSeconds } from '../../configuration/schema/fractional-seconds.js';
import { optional, withDefault } from '../../configuration/schema/scalar-keys.js';
import { integer } from '../../configuration/schema/scalar-kind.js';
import type { Fields } from '../../configuration/schema/schema.js';
import { switchedBlock } from '../../configuration/schema/switched-block.js';
import type { UpstreamHttpVersion } from './gateway-configuration.js';
import { healthProbe } from './health-probe-key.js';
import type { HealthCheck, HealthProbe } from './upstream-options.js';

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
