import { setTimeout } from 'node:timers/promises';
import type { Container, ServiceIdentifier } from 'inversify';
import { writeLate } from '../../adapters/event-loop-batching/deferred-writes.js';
import { MemoryRateLimitStore } from '../../adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { SystemClock } from '../../adapters/outbound/node-clock/system-clock.js';
import { attachedSocket } from '../../adapters/outbound/node-listening-sockets/node-listening-socket.js';
import { NodeScheduler } from '../../adapters/outbound/node-scheduler/node-scheduler.js';
import { IpcLink } from '../../adapters/outbound/node-workers/ipc-link.js';
import { lineFormat } from '../../adapters/outbound/pino-log/line-format.js';
import { isSharedPipe, LogOutput } from '../../adapters/outbound/pino-log/log-output.js';
import { OutputAuditLog } from '../../adapters/outbound/pino-log/output-audit-log.js';
import { PinoAccessLog } from '../../adapters/outbound/pino-log/pino-access-log.js';
import { PinoLogger } from '../../adapters/outbound/pino-log/pino-logger.js';
import { HeldAgentReports } from '../../application/gateway/ask-agents/reports/held-agent-reports.js';
import { MemoryReports } from '../../application/gateway/guard-resources/memory-reports.js';
import { RateLimiters } from '../../application/gateway/limit-rate/rate-limiters.js';
import type { LoadFailure } from '../../application/gateway/run-gateway/prepared-reload.js';
import { atOnce } from '../../application/gateway/run-gateway/stop-once-unused.js';
import { adoptDrainedTargets, answerGathering } from '../../application/gateway/workers/aggregate/answer-gathering.js';
import { SupervisedGateway } from '../../application/gateway/workers/aggregate/supervised-gateway.js';
import {
  type PreparedWorker,
  SupervisedGatewayProcess,
} from '../../application/gateway/workers/serve/supervised-gateway-process.js';
import { SupervisedSockets } from '../../application/gateway/workers/serve/supervised-sockets.js';
import { WorkerConfigurationSource } from '../../application/gateway/workers/serve/worker-configuration-source.js';
import { WorkerLoadLogger } from '../../application/gateway/workers/serve/worker-load-logger.js';
import { SharedPermitBook } from '../../application/gateway/workers/share-permits/shared-permit-book.js';
import { DividedRateLimits } from '../../application/gateway/workers/share-rates/divided-rate-limits.js';
import { LeasedRateLimitStore } from '../../application/gateway/workers/share-rates/leased-rate-limit-store.js';
import { auditLeft, type StartOrder } from '../../application/gateway/workers/supervise/worker-topics.js';
import { WorkerChannel } from '../../application/shared/worker-channel/worker-channel.js';
import { ok, type Result } from '../../domain/shared/result.js';
import { configurationFile } from '../shared/configuration-file.js';
import { tellOfDebugSignal } from '../shared/debug-signal.js';
import { agentFactoryLoader, embeddedAgentTokens } from '../shared/embedded-agents.js';
import { sharedTokens as shared } from '../shared/shared-tokens.js';
import { programBuildCommit, programVersion } from '../shared/version.js';
import { shareStoresInWorker } from '../shared/worker-stores.js';
import { withOverrides } from './command-line-overrides.js';
import { gatewayTokens as gateway, gatewayTokens } from './gateway-tokens.js';
import { gatewayContainer } from './start-gateway.js';

/** What a worker does for limits that hold over all workers. */
interface SharedLimits {
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

/** What a worker does for the figures of the whole gateway, step by step. */
interface WorkerGathering {
  /** The worker has a configuration: from now on it answers. */
  inForce(): void;
  /**
   * What was drained while the worker was prepared is drained here too. To be called before it
   * takes a connection.
   */
  adoptDrained(): Promise<void>;
}

/** Has a worker's endpoints tell of the whole gateway, and the worker tell of itself. */
const gatherInWorker = (
  container: Container,
  supervisor: WorkerChannel,
  { number, reloads }: StartOrder,
): WorkerGathering => {
  const agentReports = new HeldAgentReports();
  container.rebind(gateway.agentMetrics).toConstantValue(agentReports);
  container.rebind(gateway.workerPlace).toConstantValue({ worker: number, reloads });
  container
    .rebind(gateway.whole)
    .toResolvedValue(
      (state, metrics) => new SupervisedGateway(supervisor, state, metrics),
      [gateway.state, gateway.metrics],
    )
    .inSingletonScope();
  return {
    inForce: () => {
      const [state, metrics] = [container.get(gateway.state), container.get(gateway.metrics)];
      answerGathering(supervisor, { state, metrics, agentReports });
    },
    adoptDrained: () => adoptDrainedTargets(supervisor, container.get(gateway.state)),
  };
};

/** What a worker's process has that a gateway of one process has not. */
const workerTokens = {
  /** With the supervisor. */
  supervisor: Symbol('Correspondence') as ServiceIdentifier<WorkerChannel>,
  order: Symbol('StartOrder') as ServiceIdentifier<StartOrder>,
} as const;

/**
 * Makes the container of a gateway that of a worker: what one process has of its own comes from the
 * supervisor.
 */
const asWorker = (container: Container, supervisor: WorkerChannel, order: StartOrder): SharedLimits => {
  container.bind(workerTokens.supervisor).toConstantValue(supervisor);
  container.bind(workerTokens.order).toConstantValue(order);
  container
    .rebind(gateway.listeningSockets)
    .toResolvedValue((channel) => new SupervisedSockets(channel, attachedSocket), [workerTokens.supervisor])
    .inSingletonScope();
  const share = (): void => shareStoresInWorker(container, supervisor);
  container.rebind(embeddedAgentTokens.loadAgentFactory).toConstantValue(agentFactoryLoader(container, share));
  container.rebind(gateway.identity).toConstantValue({
    name: 'portcullis',
    version: programVersion,
    buildCommit: programBuildCommit,
    nodeVersion: process.version,
    startedAtMs: order.startedAtMs,
  });
  return shareLimitsInWorker(container, supervisor, order.workers);
};

/** How long the last log lines have to be written, in milliseconds. */
const logGraceMs = 2_000;
const standardOutput = 1;
/** For what is closed after the last request, where the supervisor has gone; milliseconds. */
const closeGraceMs = 2_000;

interface WorkerLog {
  readonly output: LogOutput;
  readonly logger: PinoLogger;
}

/** There is none before the order, which says how to log. */
let log: WorkerLog | null = null;

const openLog = async ({ log: { level, format }, number }: StartOrder): Promise<WorkerLog> => {
  const output = new LogOutput({
    fileDescriptor: standardOutput,
    format: await lineFormat(format, standardOutput),
    isShared: isSharedPipe(standardOutput),
  });
  return { output, logger: new PinoLogger(level, output, number) };
};

const prepare = async (order: StartOrder, supervisor: WorkerChannel): Promise<Result<PreparedWorker, LoadFailure>> => {
  const { output, logger } = await openLog(order);
  log = { output, logger };
  tellOfDebugSignal(logger);
  const clock = new SystemClock();
  const source = new WorkerConfigurationSource(
    (texts) => withOverrides(configurationFile(order.configFile, texts), order.instead),
    order.texts,
  );
  const container = gatewayContainer(order.configFile, source, {
    logger,
    accessLog: new PinoAccessLog(order.log.level, output, () => clock.wallMs(), order.number),
    droppedAccessLines: () => output.droppedAccessLines(),
    auditOutput: () => new OutputAuditLog(output),
  });
  const limits = asWorker(container, supervisor, order);
  const gathering = gatherInWorker(container, supervisor, order);
  const loads = new WorkerLoadLogger(logger, order.warns);
  container.rebind(gatewayTokens.loadLogger).toConstantValue(loads);
  const audit = container.get(gatewayTokens.audit);
  supervisor.answer(auditLeft, async () => {
    await audit.left();
    return null;
  });
  const state = container.get(gatewayTokens.state);
  const gateway = container.get(gatewayTokens.gateway);
  const prepared = await gateway.prepareStart(() => {
    for (const { upstream, address } of order.drainedTargets) state.drainTarget(upstream, address, true);
    limits.inForce();
    gathering.inForce();
  });
  if (!prepared.ok) return prepared;
  return ok(async () => {
    await gathering.adoptDrained();
    const started = await prepared.value();
    if (!started.ok) return started;
    return ok({
      addresses: started.value,
      prepareReload: ({ texts, warns }) => {
        source.hand(texts);
        loads.become(warns);
        return gateway.prepareReload();
      },
      stop: (graceMs, manner) => gateway.stop(graceMs, manner),
      leave: async (graceMs) => {
        const stopped = gateway.stop(graceMs, atOnce);
        // A drain that began before may still take connections, and waits for longer.
        state.endConnections();
        const open = container.get(gatewayTokens.listeners).open();
        await Promise.all(open.map((listener) => listener.drain(graceMs)));
        await Promise.race([stopped, setTimeout(closeGraceMs)]);
      },
    });
  });
};

let isEnding = false;

const end = async (): Promise<void> => {
  if (isEnding) return;
  isEnding = true;
  // A reader that no longer reads would hold an ordinary exit for ever.
  if (log !== null && !(await log.output.close(logGraceMs))) process.kill(process.pid, 'SIGKILL');
  process.exit(0);
};

const fail = (error: unknown): void => {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (log === null) process.stderr.write(`error: a worker ends before it has begun: ${text}\n`);
  else log.logger.error('the worker ends because of a fault of the program', { error: text, error_type: 'fault' });
  log?.output.flushSync();
  process.exit(1);
};

/**
 * Waits for the supervisor's order, and is a worker from then on. Signals are left to the caller:
 * the supervisor says what is to happen.
 */
export const runWorker = (): void => {
  process.on('uncaughtException', fail);
  const supervisor = new WorkerChannel(new IpcLink(process), new NodeScheduler(), (topic, error) =>
    log?.logger.error('a question of the supervisor failed', { topic, error: String(error) }),
  );
  const gateway = new SupervisedGatewayProcess(supervisor, { prepare: (order) => prepare(order, supervisor), end });
  gateway.listen();
};
