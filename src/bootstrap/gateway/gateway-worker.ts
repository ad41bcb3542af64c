import { setTimeout } from 'node:timers/promises';
import { SystemClock } from '../../adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../adapters/outbound/node-scheduler/node-scheduler.js';
import { IpcLink } from '../../adapters/outbound/node-workers/ipc-link.js';
import { lineFormat } from '../../adapters/outbound/pino-log/line-format.js';
import { isSharedPipe } from '../../adapters/outbound/pino-log/line-pieces.js';
import { LogOutput } from '../../adapters/outbound/pino-log/log-output.js';
import { OutputAuditLog } from '../../adapters/outbound/pino-log/output-audit-log.js';
import { PinoAccessLog } from '../../adapters/outbound/pino-log/pino-access-log.js';
import { PinoLogger } from '../../adapters/outbound/pino-log/pino-logger.js';
import type { LoadFailure } from '../../application/gateway/run-gateway/load-failure.js';
import { atOnce } from '../../application/gateway/run-gateway/stop-manner.js';
import {
  type PreparedWorker,
  SupervisedGatewayProcess,
} from '../../application/gateway/workers/serve/supervised-gateway-process.js';
import { WorkerConfigurationSource } from '../../application/gateway/workers/serve/worker-configuration-source.js';
import { WorkerLoadLogger } from '../../application/gateway/workers/serve/worker-load-logger.js';
import { auditLeft, type StartOrder } from '../../application/gateway/workers/supervise/worker-topics.js';
import { WorkerChannel } from '../../application/shared/worker-channel/worker-channel.js';
import { ok, type Result } from '../../domain/shared/result.js';
import { configurationFile } from '../shared/configuration-file.js';
import { tellOfDebugSignal } from '../shared/debug-signal.js';
import { withOverrides } from './command-line-overrides.js';
import { gatewayTokens } from './gateway-tokens.js';
import { gatewayContainer } from './start-gateway.js';
import { gatherInWorker } from './worker-gathering.js';
import { asWorker } from './worker-module.js';

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

/** Waits for the supervisor's order, and is a worker from then on. Signals are left to the caller: the supervisor says what is to happen. */
export const runWorker = (): void => {
  process.on('uncaughtException', fail);
  const supervisor = new WorkerChannel(new IpcLink(process), new NodeScheduler(), (topic, error) =>
    log?.logger.error('a question of the supervisor failed', { topic, error: String(error) }),
  );
  const gateway = new SupervisedGatewayProcess(supervisor, { prepare: (order) => prepare(order, supervisor), end });
  gateway.listen();
};
