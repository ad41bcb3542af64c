import { dividedLimit } from '../../../../domain/gateway/limits/permit-limits.js';
import type { TargetClientFactory } from '../../../ports/gateway/upstream-client.js';

/**
 * Divides the connections to a target among the workers, because each worker has a separate pool. Each gets an equal
 * part of the configured limit, rounded up.
 */
export const dividedTargetClients =
  (create: TargetClientFactory, workers: number): TargetClientFactory =>
  (settings) =>
    create({
      ...settings,
      maxConnections: dividedLimit(settings.maxConnections, workers),
      maxIdle: dividedLimit(settings.maxIdle, workers),
    });
