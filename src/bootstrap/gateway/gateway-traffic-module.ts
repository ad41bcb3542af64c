import { ContainerModule } from 'inversify';
import { RequestAdmissions } from '../../application/gateway/admit/request-admissions.js';
import { TargetLedgers } from '../../application/gateway/choose-upstream/target-ledgers.js';
import { DescriptorGuard } from '../../application/gateway/guard-resources/descriptor-guard.js';
import { MemoryGuard } from '../../application/gateway/guard-resources/memory-guard.js';
import { RateLimiters } from '../../application/gateway/limit-rate/rate-limiters.js';
import { RouteBreakers } from '../../application/gateway/proxy-request/route-breakers.js';
import { dividedTargetClients } from '../../application/gateway/workers/share-permits/divided-target-clients.js';
import { LocalPermitBook } from '../../application/gateway/workers/share-permits/local-permits.js';
import { sharedTokens as shared } from '../shared/shared-tokens.js';
import { gatewayTokens as gateway } from './gateway-tokens.js';

/** What governs requests over all configurations: limits, rates, breakers, memory, and what is known of targets. */
export const gatewayTrafficModule = new ContainerModule(({ bind }) => {
  bind(gateway.permits)
    .toResolvedValue(() => new LocalPermitBook(), [])
    .inSingletonScope();
  bind(gateway.admissions)
    .toResolvedValue(
      (scheduler, permits) => new RequestAdmissions(scheduler, permits),
      [shared.scheduler, gateway.permits],
    )
    .inSingletonScope();
  bind(gateway.routeBreakers)
    .toResolvedValue((clock, logger) => new RouteBreakers(clock, logger), [shared.clock, shared.logger])
    .inSingletonScope();
  bind(gateway.rateLimiters)
    .toResolvedValue(
      (memory, openShared, clock, logger, scheduler) =>
        new RateLimiters({ memory, openShared, clock, logger, scheduler }),
      [gateway.localRateLimits, gateway.openSharedRateLimits, shared.clock, shared.logger, shared.scheduler],
    )
    .inSingletonScope();
  bind(gateway.memoryOfOthers).toConstantValue(() => 0);
  bind(gateway.memory)
    .toResolvedValue(
      (figures, othersBytes, reclaimer, scheduler, clock, logger, admissions) =>
        new MemoryGuard({
          figures,
          othersBytes,
          reclaimer,
          scheduler,
          clock,
          logger,
          tell: (violation) => admissions.shortOfMemory(violation),
        }),
      [
        gateway.figures,
        gateway.memoryOfOthers,
        gateway.memoryReclaimer,
        shared.scheduler,
        shared.clock,
        shared.logger,
        gateway.admissions,
      ],
    )
    .inSingletonScope();
  bind(gateway.descriptors)
    .toResolvedValue(
      (figures, permits, scheduler, clock, logger, metrics) =>
        new DescriptorGuard({ figures, workers: permits.workers, scheduler, clock, logger, metrics }),
      [gateway.descriptorFigures, gateway.permits, shared.scheduler, shared.clock, shared.logger, gateway.metrics],
    )
    .inSingletonScope();
  bind(gateway.upstreamTargets)
    .toResolvedValue(
      (createClient, resolver, prober, clock, random, scheduler, logger, permits, metrics) => ({
        ledgers: new TargetLedgers(),
        createClient: permits.workers === 1 ? createClient : dividedTargetClients(createClient, permits.workers),
        resolver,
        prober,
        clock,
        random,
        scheduler,
        logger,
        metrics,
      }),
      [
        gateway.createTargetClient,
        gateway.resolver,
        gateway.prober,
        shared.clock,
        shared.random,
        shared.scheduler,
        shared.logger,
        gateway.permits,
        gateway.metrics,
      ],
    )
    .inSingletonScope();
});
