import { SystemClock } from '../adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../adapters/outbound/node-scheduler/node-scheduler.js';
import { IpcLink } from '../adapters/outbound/node-workers/ipc-link.js';
import { lineFormat } from '../adapters/outbound/pino-log/line-format.js';
import { isSharedPipe } from '../adapters/outbound/pino-log/line-pieces.js';
import { LogOutput } from '../adapters/outbound/pino-log/log-output.js';
import { OutputAuditLog } from '../adapters/outbound/pino-log/output-audit-log.js';
import { PinoAccessLog } from '../adapters/outbound/pino-log/pino-access-log.js';
import { PinoLogger } from '../adapters/outbound/pino-log/pino-logger.js';
import { Correspondence } from '../application/correspondence/correspondence.js';
import type { LoadFailure } from '../application/run-gateway/load-failure.js';
import { HandedConfiguration } from '../application/serve-supervisor/handed-configuration.js';
import {
  type StartedWorker,
  SupervisedGatewayProcess,
} from '../application/serve-supervisor/supervised-gateway-process.js';
import type { StartOrder } from '../application/supervise-workers/worker-topics.js';
import { ok, type Result } from '../domain/shared/result.js';
import { configurationFile } from './configuration-file.js';
import { gatewayTokens } from './gateway-tokens.js';
import { gatewayContainer } from './start-gateway.js';
import { gatherInWorker } from './worker-gathering.js';
import { asWorker } from './worker-module.js';

/** How long the last log lines have to be written, in milliseconds. */
const logGraceMs = 2_000;
const standardOutput = 1;

interface WorkerLog {
  readonly output: LogOutput;
  readonly logger: PinoLogger;
}

/** There is none before the order, which says how to log. */
let log: WorkerLog | null = null;

const openLog = ({ log: { level, format }, number }: StartOrder): WorkerLog => {
  const output = new LogOutput({
    fileDescriptor: standardOutput,
    format: lineFormat(format, standardOutput),
    isShared: isSharedPipe(standardOutput),
  });
  return { output, logger: new PinoLogger(level, output, number) };
};

const start = async (order: StartOrder, supervisor: Correspondence): Promise<Result<StartedWorker, LoadFailure>> => {
  const { output, logger } = openLog(order);
  log = { output, logger };
  const clock = new SystemClock();
  const source = new HandedConfiguration((texts) => configurationFile(order.configFile, texts), order.texts);
  const container = gatewayContainer(order.configFile, source, {
    logger,
    accessLog: new PinoAccessLog(order.log.level, output, () => clock.wallMs(), order.number),
    droppedAccessLines: () => output.droppedAccessLines(),
    auditOutput: () => new OutputAuditLog(output),
  });
  const limits = asWorker(container, supervisor, order);
  const gathering = gatherInWorker(container, supervisor, order);
  const state = container.get(gatewayTokens.state);
  const gateway = container.get(gatewayTokens.gateway);
  const started = await gateway.start(() => {
    for (const { upstream, address } of order.drainedTargets) state.drainTarget(upstream, address, true);
    limits.inForce();
    gathering.inForce();
  });
  if (!started.ok) return started;
  await gathering.serving();
  return ok({
    addresses: started.value,
    prepareReload: (texts) => {
      source.hand(texts);
      return gateway.prepareReload();
    },
    stop: (graceMs, manner) => gateway.stop(graceMs, manner),
  });
};

const end = async (): Promise<void> => {
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

const main = (): void => {
  if (!process.connected) {
    process.stderr.write('error: this program is started by "gateway run" where worker-threads asks for it\n');
    process.exitCode = 2;
    return;
  }
  // A terminal sends them to all processes, a service manager may: the supervisor says what is to happen.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => undefined);
  process.on('uncaughtException', fail);
  const supervisor = new Correspondence(new IpcLink(process), new NodeScheduler(), (topic, error) =>
    log?.logger.error('a question of the supervisor failed', { topic, error: String(error) }),
  );
  const gateway = new SupervisedGatewayProcess(supervisor, { start: (order) => start(order, supervisor), end });
  gateway.listen();
};

main();
