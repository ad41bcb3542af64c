import { reportProblems } from '../adapters/inbound/gateway-command-line/report-problems.js';
import { startupErrorText } from '../adapters/inbound/gateway-command-line/startup-error-text.js';
import type { Logger } from '../application/ports/logger.js';
import type { LoadFailure } from '../application/run-gateway/load-failure.js';
import { formatProblem } from '../domain/configuration/format-problem.js';

/** Why a configuration did not come into force, on one line or, for problems of the file, as many as it takes. */
export const loadFailureText = ({ problems, reason, cause }: LoadFailure): string => {
  const said = reportProblems(problems);
  if (cause !== null) return `${said}error: ${startupErrorText(cause)}\n`;
  return reason === null ? said : `${said}error: ${reason}\n`;
};

/** The same in the log, where the gateway goes on with the configuration before. */
export const logReloadFailure = ({ problems, reason, cause }: LoadFailure, logger: Logger): void => {
  const fields = { error_type: 'reload_failed' };
  for (const problem of problems) {
    if (problem.severity === 'error') logger.error(formatProblem(problem), fields);
  }
  if (cause !== null) logger.error(startupErrorText(cause), fields);
  else if (reason !== null) logger.error(reason, fields);
  logger.error('the configuration was not reloaded; the one before stays in force', fields);
};
