import type { Container } from 'inversify';
import { writeLate } from '../../adapters/event-loop-batching/deferred-writes.js';
import { MemoryRateLimitStore } from '../../adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { MemoryReports } from '../../application/gateway/guard-resources/memory-reports.js';
import { RateLimiters } from '../../application/gateway/limit-rate/rate-limiters.js';
import { SharedPermitBook } from '../../application/gateway/workers/share-permits/shared-permit-book.js';
import { DividedRateLimits } from '../../application/gateway/workers/share-rates/divided-rate-limits.js';
import { LeasedRateLimitStore } from '../../application/gateway/workers/share-rates/leased-rate-limit-store.js';
import type { WorkerChannel } from '../../application/shared/worker-channel/worker-channel.js';
import { sharedTokens as shared } from '../shared/shared-tokens.js';
import { gatewayTokens as gateway } from './gateway-tokens.js';

/** What a worker does for limits that hold over all workers. */
export interface SharedLimits {
  /** Called once the worker has a configuration. */
  inForce(): void;
}

/** Has the limits of a worker hold over all workers. */
export const shareLimitsInWorker = (container: Container, supervisor: WorkerChannel, workers: number): SharedLimits => {
  container
    .rebind(gateway.permits)
    .toResolvedValue((scheduler) => new SharedPermitBook(workers, supervisor, scheduler), [shared.scheduler])
    .inSingletonScope();
  container
    .rebind(gateway.localRateLimits)
    .toResolvedValue(
      (clock, scheduler) =>
        new LeasedRateLimitStore({
          supervisor,
          clock,
          scheduler,
          atEndOfTurn: (task) => writeLate({ writeNow: task }),
        }),
      [shared.clock, shared.scheduler],
    )
    .inSingletonScope();
  container
    .rebind(gateway.rateLimiters)
    .toResolvedValue(
      (memory, openShared, clock, logger, scheduler) => {
        const divided = new DividedRateLimits(new MemoryRateLimitStore(clock), workers);
        return new RateLimiters({
          memory,
          openShared,
          clock,
          logger,
          scheduler,
          withoutMemory: { kind: 'local', store: divided },
        });
      },
      [gateway.localRateLimits, gateway.openSharedRateLimits, shared.clock, shared.logger, shared.scheduler],
    )
    .inSingletonScope();
  const reports = new MemoryReports({
    supervisor,
    figures: container.get(gateway.figures),
    scheduler: container.get(shared.scheduler),
  });
  container.rebind(gateway.memoryOfOthers).toConstantValue(() => reports.othersBytes());
  return { inForce: () => reports.start(() => container.get(gateway.memory).status() !== null) };
};
