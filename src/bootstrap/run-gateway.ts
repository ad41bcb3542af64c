import { reportProblems } from '../adapters/inbound/gateway-command-line/report-problems.js';
import { startupErrorText } from '../adapters/inbound/gateway-command-line/startup-error-text.js';
import { SystemClock } from '../adapters/outbound/node-clock/system-clock.js';
import { lineFormat } from '../adapters/outbound/pino-log/line-format.js';
import { LogOutput } from '../adapters/outbound/pino-log/log-output.js';
import { PinoAccessLog } from '../adapters/outbound/pino-log/pino-access-log.js';
import { PinoLogger } from '../adapters/outbound/pino-log/pino-logger.js';
import type { Logger } from '../application/ports/logger.js';
import type { LoadFailure } from '../application/run-gateway/gateway.js';
import { formatProblem } from '../domain/configuration/format-problem.js';
import type { LogConfiguration } from '../domain/configuration/log-configuration.js';
import { socketAddressText } from '../domain/configuration/schema/network-kinds.js';
import { configurationFile } from './configuration-file.js';
import { gatewayContainer, type RunningGateway, startGateway } from './start-gateway.js';
import { type WatchedSignals, watchSignals } from './watch-signals.js';

/** How long the last log lines have to be written, in milliseconds. */
const logGraceMs = 2_000;
const standardOutput = 1;

/** Why a configuration did not come into force, on one line or, for problems of the file, as many as it takes. */
export const loadFailureText = ({ problems, reason, cause }: LoadFailure): string => {
  const said = reportProblems(problems);
  if (cause !== null) return `${said}error: ${startupErrorText(cause)}\n`;
  return reason === null ? said : `${said}error: ${reason}\n`;
};

/** Runs the gateway until a signal has it end, and gives the exit code. `started` is told once it serves. */
export const runGateway = async (
  configFile: string,
  { level, format, warning }: LogConfiguration,
  started: (gateway: RunningGateway) => void = () => undefined,
): Promise<number> => {
  const output = new LogOutput({ fileDescriptor: standardOutput, format: lineFormat(format, standardOutput) });
  const logger = new PinoLogger(level, output);
  const clock = new SystemClock();
  const signals = watchSignals(output);
  try {
    if (warning !== null) logger.warn(warning);
    const container = gatewayContainer(configFile, configurationFile(configFile), {
      logger,
      accessLog: new PinoAccessLog(level, output, () => clock.wallMs()),
      droppedAccessLines: () => output.droppedAccessLines(),
    });
    const outcome = await startGateway(container);
    if (!outcome.ok) {
      process.stderr.write(loadFailureText(outcome.error));
      return 1;
    }
    logStart(outcome.value, logger);
    started(outcome.value);
    return await serve(outcome.value, signals, logger);
  } finally {
    // A reader that no longer reads would hold an ordinary exit for ever.
    if (!(await output.close(logGraceMs))) process.kill(process.pid, 'SIGKILL');
  }
};

const logStart = ({ addresses }: RunningGateway, logger: Logger): void => {
  for (const [listener, { host, port }] of addresses.listeners) {
    logger.info('the gateway listens', { listener, address: socketAddressText({ host, port }) });
  }
  if (addresses.admin) {
    logger.info('the admin endpoints are served', { address: socketAddressText(addresses.admin) });
  }
};

const serve = async (gateway: RunningGateway, signals: WatchedSignals, logger: Logger): Promise<number> => {
  signals.onReload(() => {
    void gateway.reload().then((reloaded) => {
      if (!reloaded.ok) logReloadFailure(reloaded.error, logger);
    });
  });
  logger.info('the gateway drains', { signal: await signals.ended });
  await gateway.stop();
  logger.info('the gateway has ended');
  return 0;
};

const logReloadFailure = ({ problems, reason, cause }: LoadFailure, logger: Logger): void => {
  const fields = { error_type: 'reload_failed' };
  for (const problem of problems) {
    if (problem.severity === 'error') logger.error(formatProblem(problem), fields);
  }
  if (cause !== null) logger.error(startupErrorText(cause), fields);
  else if (reason !== null) logger.error(reason, fields);
  logger.error('the configuration was not reloaded; the one before stays in force', fields);
};
