import { resolve } from 'node:path';
import { Container, ContainerModule } from 'inversify';
import { RequestAdmissions } from '../../application/gateway/admit/request-admissions.js';
import { TargetLedgers } from '../../application/gateway/choose-upstream/target-ledgers.js';
import { RouteBreakers } from '../../application/gateway/circuit-breakers/route-breakers.js';
import { DescriptorGuard } from '../../application/gateway/guard-resources/descriptor-guard.js';
import { MemoryGuard } from '../../application/gateway/guard-resources/memory-guard.js';
import { RateLimiterPool } from '../../application/gateway/limit-rate/rate-limiter-pool.js';
import type { LoadFailure } from '../../application/gateway/run-gateway/prepared-reload.js';
import type { ListeningAddresses } from '../../application/gateway/run-gateway/wanted-listeners.js';
import { dividedTargetClients } from '../../application/gateway/workers/share-permits/divided-target-clients.js';
import { LocalPermitBook } from '../../application/gateway/workers/share-permits/local-permits.js';
import type { AccessLog } from '../../application/ports/gateway/access-log.js';
import type { ConfigurationSource } from '../../application/ports/gateway/configuration-source.js';
import type { TargetName, UpstreamStatus } from '../../application/ports/gateway/gateway-state.js';
import type { AuditLog } from '../../application/ports/shared/audit-log.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import { ok, type Result } from '../../domain/shared/result.js';
import { bindSingleton } from '../shared/bind-singleton.js';
import { agentFactoryLoader, embeddedAgentTokens } from '../shared/embedded-agents.js';
import { sharedTokens as shared, sharedTokens } from '../shared/shared-tokens.js';
import { auditLogs } from './audit-logs.js';
import { gatewayAdaptersModule } from './gateway-adapters-module.js';
import { gatewayModule } from './gateway-module.js';
import { gatewayTokens as gateway, gatewayTokens } from './gateway-tokens.js';

/** State that outlives configurations: limits, rates, breakers, memory and targets. */
const gatewayTrafficModule = new ContainerModule(({ bind }) => {
  const made = bindSingleton(bind);
  made(gateway.permits, {}, () => new LocalPermitBook());
  made(
    gateway.admissions,
    { scheduler: shared.scheduler, permits: gateway.permits },
    ({ scheduler, permits }) => new RequestAdmissions(scheduler, permits),
  );
  made(
    gateway.routeBreakers,
    { clock: shared.clock, logger: shared.logger },
    ({ clock, logger }) => new RouteBreakers(clock, logger),
  );
  made(
    gateway.rateLimiters,
    {
      memory: gateway.localRateLimits,
      openShared: gateway.openSharedRateLimits,
      clock: shared.clock,
      logger: shared.logger,
      scheduler: shared.scheduler,
    },
    (parts) => new RateLimiterPool(parts),
  );
  bind(gateway.memoryOfOthers).toConstantValue(() => 0);
  made(
    gateway.memory,
    {
      figures: gateway.figures,
      othersBytes: gateway.memoryOfOthers,
      reclaimer: gateway.memoryReclaimer,
      scheduler: shared.scheduler,
      clock: shared.clock,
      logger: shared.logger,
      admissions: gateway.admissions,
    },
    ({ figures, othersBytes, reclaimer, scheduler, clock, logger, admissions }) =>
      new MemoryGuard({
        figures,
        othersBytes,
        reclaimer,
        scheduler,
        clock,
        logger,
        report: (violation) => admissions.setMemoryShortage(violation),
      }),
  );
  made(
    gateway.descriptors,
    {
      figures: gateway.descriptorFigures,
      permits: gateway.permits,
      scheduler: shared.scheduler,
      clock: shared.clock,
      logger: shared.logger,
      metrics: gateway.metrics,
    },
    ({ figures, permits, scheduler, clock, logger, metrics }) =>
      new DescriptorGuard({ figures, workers: permits.workers, scheduler, clock, logger, metrics }),
  );
  made(
    gateway.upstreamTargets,
    {
      createClient: gateway.createTargetClient,
      resolver: gateway.resolver,
      prober: gateway.prober,
      clock: shared.clock,
      random: shared.random,
      scheduler: shared.scheduler,
      logger: shared.logger,
      permits: gateway.permits,
      metrics: gateway.metrics,
    },
    ({ createClient, resolver, prober, clock, random, scheduler, logger, permits, metrics }) => ({
      ledgers: new TargetLedgers(clock),
      createClient: permits.workers === 1 ? createClient : dividedTargetClients(createClient, permits.workers),
      resolver,
      prober,
      clock,
      random,
      scheduler,
      logger,
      metrics,
    }),
  );
});

/** The logs of a gateway. */
export interface GatewayLogs {
  readonly logger: Logger;
  readonly accessLog: AccessLog;
  droppedAccessLines(): number;
  /** The audit log on standard output, if it has no file. */
  auditOutput(): AuditLog;
}

/** A running gateway. */
export interface RunningGateway {
  /** Addresses at the start. */
  readonly addresses: ListeningAddresses;
  /** Addresses of the current configuration. */
  addressesNow(): ListeningAddresses;
  /** Applies the current configuration file; changes nothing on an error. */
  reload(): Promise<Result<void, LoadFailure>>;
  /**
   * Drains and closes. Without `graceMs`, uses grace and delay of the configuration. A replaced
   * gateway has no delay: see `StopManner`.
   */
  stop(graceMs?: number, isReplaced?: boolean): Promise<void>;
  /** Time without a serving process, in milliseconds; 0 while serving. */
  unservedMs(): number;
  /** Kills all other processes of the gateway, because this one is about to exit. */
  kill(): void;
  /** Targets that an operator drained. */
  drainedTargets(): readonly TargetName[];
}

/**
 * The container of the gateway's process. `configFile` is the path of the source. Tests rebind what
 * they replace.
 */
export const gatewayContainer = (configFile: string, source: ConfigurationSource, logs: GatewayLogs): Container => {
  const container = new Container();
  container.load(gatewayAdaptersModule, gatewayTrafficModule, gatewayModule);
  container.bind(embeddedAgentTokens.loadAgentFactory).toConstantValue(agentFactoryLoader(container));
  container.bind(sharedTokens.logger).toConstantValue(logs.logger);
  container.bind(gatewayTokens.accessLog).toConstantValue(logs.accessLog);
  container.bind(gatewayTokens.droppedAccessLines).toConstantValue(() => logs.droppedAccessLines());
  container.bind(gatewayTokens.openAuditLog).toConstantValue(auditLogs(() => logs.auditOutput(), logs.logger));
  container.bind(gatewayTokens.configFile).toConstantValue(resolve(configFile));
  container.bind(gatewayTokens.source).toConstantValue(source);
  return container;
};

/**
 * Loads the configuration and serves it.
 *
 * @param drained targets to drain from the start, if they exist
 */
export const startGateway = async (
  container: Container,
  drained: readonly TargetName[] = [],
): Promise<Result<RunningGateway, LoadFailure>> => {
  const gateway = container.get(gatewayTokens.gateway);
  const state = container.get(gatewayTokens.state);
  const started = await gateway.start(() => {
    for (const { upstream, address } of drained) state.drainTarget(upstream, address, true);
  });
  if (!started.ok) return started;
  return ok({
    addresses: started.value,
    addressesNow: () => gateway.addresses(),
    reload: () => gateway.reload(),
    stop: (graceMs, isReplaced = false) => {
      const { gracefulShutdownTimeoutMs, shutdownDelayMs } = state.configuration().system;
      const delayMs = isReplaced || graceMs !== undefined ? 0 : shutdownDelayMs;
      return gateway.stop(graceMs ?? gracefulShutdownTimeoutMs, { delayMs, isReplaced });
    },
    unservedMs: () => 0,
    kill: () => undefined,
    drainedTargets: () => state.upstreams().flatMap(drainedOf),
  });
};

/**
 * Drained addresses, and names whose addresses are all drained: a later lookup may return other
 * addresses.
 */
const drainedOf = ({ name: upstream, targets }: UpstreamStatus): readonly TargetName[] => {
  const serving = new Set(targets.flatMap(({ name, drained }) => (drained ? [] : [name])));
  const drained = targets.filter((target) => target.drained);
  const names = new Set(drained.flatMap(({ name }) => (name === null || serving.has(name) ? [] : [name])));
  return [...names, ...drained.map(({ address }) => address)].map((address) => ({ upstream, address }));
};
