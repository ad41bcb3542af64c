import { reportProblems } from '../../adapters/command-line/terminal-text.js';
import { startupErrorText } from '../../adapters/inbound/gateway-command-line/startup-error-text.js';
import type { LoadFailure } from '../../application/gateway/run-gateway/prepared-reload.js';
import type { WorkerFailure } from '../../application/gateway/workers/supervise/worker-slots.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import { formatProblem } from '../../domain/configuration/configuration-problem.js';

/** Why a configuration was not applied: one line, or several for problems of the file. */
export const loadFailureText = ({ problems, reason, cause }: LoadFailure): string => {
  const report = reportProblems(problems);
  if (cause !== null) return `${report}error: ${startupErrorText(cause)}\n`;
  return reason === null ? report : `${report}error: ${reason}\n`;
};

/** One text per log line. */
const logTexts = ({ problems, reason, cause }: LoadFailure): readonly string[] => {
  const texts = problems.filter(({ severity }) => severity === 'error').map(formatProblem);
  if (cause !== null) return [...texts, startupErrorText(cause)];
  return reason === null ? texts : [...texts, reason];
};

/** Logs a failed reload; the gateway keeps its configuration. */
export const logReloadFailure = (failure: LoadFailure, logger: Logger): void => {
  const fields = { error_type: 'reload_failed' };
  for (const text of logTexts(failure)) logger.error(text, fields);
  logger.error('the configuration was not reloaded; the previous one stays active', fields);
};

/** Logs the failed start of a replacement worker. */
export const logWorkerFailure = ({ worker, delayMs, failure }: WorkerFailure, logger: Logger): void => {
  const fields = { worker, delay_ms: delayMs, error_type: 'worker_start_failed' };
  for (const text of logTexts(failure)) logger.error(`worker ${worker} failed to start: ${text}`, fields);
};
