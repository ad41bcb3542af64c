import { reportProblems } from '../../adapters/command-line/terminal-text.js';
import { startupErrorText } from '../../adapters/inbound/gateway-command-line/startup-error-text.js';
import type { LoadFailure } from '../../application/gateway/run-gateway/prepared-reload.js';
import type { WorkerFailure } from '../../application/gateway/workers/supervise/worker-slots.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import { formatProblem } from '../../domain/configuration/configuration-problem.js';

/**
 * Why a configuration did not come into force, on one line or, for problems of the file, as many as
 * it takes.
 */
export const loadFailureText = ({ problems, reason, cause }: LoadFailure): string => {
  const said = reportProblems(problems);
  if (cause !== null) return `${said}error: ${startupErrorText(cause)}\n`;
  return reason === null ? said : `${said}error: ${reason}\n`;
};

/** Each on a line of its own, for the log. */
const logTexts = ({ problems, reason, cause }: LoadFailure): readonly string[] => {
  const texts = problems.filter(({ severity }) => severity === 'error').map(formatProblem);
  if (cause !== null) return [...texts, startupErrorText(cause)];
  return reason === null ? texts : [...texts, reason];
};

/** The same in the log, where the gateway goes on with the configuration before. */
export const logReloadFailure = (failure: LoadFailure, logger: Logger): void => {
  const fields = { error_type: 'reload_failed' };
  for (const text of logTexts(failure)) logger.error(text, fields);
  logger.error('the configuration was not reloaded; the previous one stays active', fields);
};

/** The same of a worker that was to replace another. */
export const logWorkerFailure = ({ worker, delayMs, failure }: WorkerFailure, logger: Logger): void => {
  const fields = { worker, delay_ms: delayMs, error_type: 'worker_start_failed' };
  for (const text of logTexts(failure)) logger.error(`worker ${worker} cannot serve: ${text}`, fields);
};
