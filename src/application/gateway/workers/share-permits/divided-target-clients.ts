import { dividedLimit } from '../../../../domain/gateway/limits/permit-limits.js';
import type { TargetClientFactory } from '../../../ports/gateway/upstream-client.js';

/**
 * Target clients that have their part of the connections that a target may have: each worker keeps a pool of its own,
 * and all of them together have as many as the configuration says, rounded up for each worker.
 */
export const dividedTargetClients =
  (create: TargetClientFactory, workers: number): TargetClientFactory =>
  (settings) =>
    create({
      ...settings,
      maxConnections: dividedLimit(settings.maxConnections, workers),
      maxIdle: dividedLimit(settings.maxIdle, workers),
    });
