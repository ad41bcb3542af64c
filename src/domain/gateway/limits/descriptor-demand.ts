import type { LimitsConfiguration, UpstreamConfiguration } from '../configuration/gateway-configuration.js';

/** Descriptors for listeners, files, agents and the admin address. */
const otherDescriptors = 64;

/**
 * Warns if the connection limits exceed the file descriptors of a process; null: they fit. It assumes that one worker
 * gets all clients; upstream connections are divided among workers.
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
  const upstreamConnections = upstreams.reduce(
    (sum, { targets, maxConnections }) => sum + targets.length * maxConnections,
    0,
  );
  const perWorker = Math.ceil(upstreamConnections / workers);
  if (maxTotalConnections + perWorker + otherDescriptors <= limit) return null;
  return (
    `the limits allow ${maxTotalConnections} client connections (max-total-connections) and ${perWorker} upstream connections ` +
    `(max-connections of each target) in a process that may have ${limit} file descriptors: ` +
    'raise the limit of open files (ulimit -n, LimitNOFILE), or lower these limits'
  );
};
