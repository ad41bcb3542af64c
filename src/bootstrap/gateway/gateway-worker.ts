import { setTimeout } from 'node:timers/promises';
import type { Container, ServiceIdentifier } from 'inversify';
import { deferWrite } from '../../adapters/event-loop-batching/event-loop-turn.js';
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
import { UncollectedAgentReports } from '../../application/gateway/ask-agents/reports/uncollected-agent-reports.js';
import { MemoryReports } from '../../application/gateway/guard-resources/memory-reports.js';
import { RateLimiterPool } from '../../application/gateway/limit-rate/rate-limiter-pool.js';
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
import { ReceivedTicketKeys } from '../../application/gateway/workers/share-ticket-keys/shared-ticket-keys.js';
import { auditLogClosed, type StartOrder } from '../../application/gateway/workers/supervise/worker-topics.js';
import { WorkerChannel } from '../../application/shared/worker-channel/worker-channel.js';
import { ok, type Result } from '../../domain/shared/result.js';
import { configurationFile } from '../shared/configuration-file.js';
import { logDebugSignal } from '../shared/debug-signal.js';
import { agentFactoryLoader, embeddedAgentTokens } from '../shared/embedded-agents.js';
import { sharedTokens as shared } from '../shared/shared-tokens.js';
import { shareStoresInWorker } from '../shared/worker-stores.js';
import { withOverrides } from './command-line-overrides.js';
import { gatewayTokens as gateway, gatewayTokens } from './gateway-tokens.js';
import { programIdentity } from './program-identity.js';
import { gatewayContainer } from './start-gateway.js';

/** A worker's part in limits over all workers. */
interface SharedLimits {
  /** Call when the worker has a configuration. */
  inForce(): void;
}

/** Rebinds the limits of a worker so that they apply over all workers. */
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
          atEndOfTurn: (task) => deferWrite({ writeNow: task }),
        }),
      [shared.clock, shared.scheduler],
    )
    .inSingletonScope();
  container
    .rebind(gateway.rateLimiters)
    .toResolvedValue(
      (memory, openShared, clock, logger, scheduler) => {
        const divided = new DividedRateLimits(new MemoryRateLimitStore(clock), workers);
        return new RateLimiterPool({
          memory,
          openShared,
          clock,
          logger,
          scheduler,
          memoryFailureMode: { kind: 'local', store: divided },
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

/** A worker's part in the aggregated figures of the gateway. */
interface WorkerAggregation {
  /** Call when the worker has a configuration; it then answers the supervisor. */
  inForce(): void;
  /**
   * Drains the targets that were drained during the preparation. Call before the worker accepts
   * connections.
   */
  adoptDrained(): Promise<void>;
}

/**
 * Makes a worker's endpoints report the whole gateway, and the worker report itself to the
 * supervisor.
 */
const aggregateInWorker = (
  container: Container,
  supervisor: WorkerChannel,
  { number, reloads }: StartOrder,
): WorkerAggregation => {
  const agentReports = new UncollectedAgentReports();
  container.rebind(gateway.agentMetrics).toConstantValue(agentReports);
  container.rebind(gateway.initialWorkerState).toConstantValue({ worker: number, reloads });
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

/** Tokens that only worker processes have. */
const workerTokens = {
  /** Channel to the supervisor. */
  supervisor: Symbol('WorkerChannel') as ServiceIdentifier<WorkerChannel>,
  order: Symbol('StartOrder') as ServiceIdentifier<StartOrder>,
} as const;

/**
 * Turns a gateway container into that of a worker: the supervisor provides what is unique per
 * gateway.
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
  container
    .rebind(gateway.identity)
    .toResolvedValue((layers) => programIdentity(order.startedAtMs, layers), [gateway.socketLayers]);
  return shareLimitsInWorker(container, supervisor, order.workers);
};

/** Grace for the last log lines, in milliseconds. */
const logGraceMs = 2_000;
const standardOutput = 1;
/** Grace for closing after the last request if the supervisor has gone, in milliseconds. */
const closeGraceMs = 2_000;

interface WorkerLog {
  readonly output: LogOutput;
  readonly logger: PinoLogger;
}

/** Null before the start order, which configures the log. */
let log: WorkerLog | null = null;

const openLog = async ({ log: { level, format }, number }: StartOrder): Promise<WorkerLog> => {
  const output = new LogOutput({
    fileDescriptor: standardOutput,
    format: await lineFormat(format, standardOutput),
    isShared: isSharedPipe(standardOutput),
  });
  return { output, logger: new PinoLogger(level, output, number) };
};

const prepare = async (
  order: StartOrder,
  supervisor: WorkerChannel,
  ticketKeys: ReceivedTicketKeys,
): Promise<Result<PreparedWorker, LoadFailure>> => {
  const { output, logger } = await openLog(order);
  log = { output, logger };
  logDebugSignal(logger);
  const clock = new SystemClock();
  const source = new WorkerConfigurationSource(
    (texts) => withOverrides(configurationFile(order.configFile, texts), order.overrides),
    order.texts,
  );
  const container = gatewayContainer(order.configFile, source, {
    logger,
    accessLog: new PinoAccessLog(order.log.level, output, () => clock.wallMs(), order.number),
    droppedAccessLines: () => output.droppedAccessLines(),
    auditOutput: () => new OutputAuditLog(output),
  });
  const limits = asWorker(container, supervisor, order);
  const engine = container.get(gatewayTokens.engine);
  ticketKeys.passTo((keys) => engine.useTicketKeys(keys));
  const aggregation = aggregateInWorker(container, supervisor, order);
  const loads = new WorkerLoadLogger(logger, order.logsWarnings);
  container.rebind(gatewayTokens.loadLogger).toConstantValue(loads);
  const audit = container.get(gatewayTokens.audit);
  supervisor.answer(auditLogClosed, async () => {
    await audit.left();
    return null;
  });
  const state = container.get(gatewayTokens.state);
  const gateway = container.get(gatewayTokens.gateway);
  const prepared = await gateway.prepareStart(() => {
    for (const { upstream, address } of order.drainedTargets) state.drainTarget(upstream, address, true);
    limits.inForce();
    aggregation.inForce();
  });
  if (!prepared.ok) return prepared;
  return ok(async () => {
    await aggregation.adoptDrained();
    const started = await prepared.value();
    if (!started.ok) return started;
    return ok({
      addresses: started.value,
      prepareReload: ({ texts, logsWarnings }) => {
        source.setTexts(texts);
        loads.setLogsWarnings(logsWarnings);
        return gateway.prepareReload();
      },
      stop: (graceMs, manner) => gateway.stop(graceMs, manner),
      leave: async (graceMs) => {
        const stopped = gateway.stop(graceMs, atOnce);
        // An earlier drain may still accept connections and has a longer grace.
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
  // With a blocked log reader, an ordinary exit would wait forever.
  if (log !== null && !(await log.output.close(logGraceMs))) process.kill(process.pid, 'SIGKILL');
  process.exit(0);
};

const fail = (error: unknown): void => {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (log === null) process.stderr.write(`error: a worker failed before it started: ${text}\n`);
  else log.logger.error('the worker exits because of an internal error', { error: text, error_type: 'fault' });
  log?.output.flushSync();
  process.exit(1);
};

/**
 * Waits for the supervisor's start order, then runs as a worker. The caller handles signals: the
 * supervisor decides.
 */
export const runWorker = (): void => {
  process.on('uncaughtException', fail);
  const supervisor = new WorkerChannel(new IpcLink(process), new NodeScheduler(), (topic, error) =>
    log?.logger.error('a call of the supervisor failed', { topic, error: String(error) }),
  );
  const ticketKeys = new ReceivedTicketKeys(supervisor);
  const gateway = new SupervisedGatewayProcess(supervisor, {
    prepare: (order) => prepare(order, supervisor, ticketKeys),
    end,
  });
  gateway.listen();
};
