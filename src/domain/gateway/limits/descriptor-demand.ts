import type { LimitsConfiguration, UpstreamConfiguration } from '../configuration/gateway-configuration.js';

/** Descriptors for what is neither a client's nor an upstream's: listeners, files, agents, the admin address. */
const otherDescriptors = 64;

/**
 * Warns where the limits of connections allow a process more than it may have open; null: they do not. Clients may
 * all come to one worker; the connections to upstreams are divided among the workers.
 *
 * @param limit file descriptors of a process; null: unknown
 */
export const descriptorWarning = (
  { maxTotalConnections }: Pick<LimitsConfiguration, 'maxTotalConnections'>,
  upstreams: readonly Pick<UpstreamConfiguration, 'targets' | 'maxConnections'>[],
  workers: number,
  limit: number | null,
): string | null => {
  if (limit === null) return null;
  const toUpstreams = upstreams.reduce((sum, { targets, maxConnections }) => sum + targets.length * maxConnections, 0);
  const ofWorker = Math.ceil(toUpstreams / workers);
  if (maxTotalConnections + ofWorker + otherDescriptors <= limit) return null;
  return (
    `the limits allow ${maxTotalConnections} connections of clients (max-total-connections) and ${ofWorker} to upstreams ` +
    `(max-connections of each target) in a process that may have ${limit} file descriptors: ` +
    'raise the limit of open files (ulimit -n, LimitNOFILE), or lower these limits'
  );
};
