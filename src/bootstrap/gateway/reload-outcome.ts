import { startupErrorText } from '../../adapters/inbound/gateway-command-line/startup-error-text.js';
import type { LoadFailure } from '../../application/gateway/run-gateway/load-failure.js';
import type { ReloadOutcome } from '../../application/ports/gateway/gateway-cluster.js';
import { formatProblem } from '../../domain/configuration/format-problem.js';
import type { Result } from '../../domain/shared/result.js';

const reasonOf = ({ reason, cause }: LoadFailure): readonly string[] => {
  if (cause !== null) return [startupErrorText(cause)];
  return reason === null ? [] : [reason];
};

/** What came of a reload, for who asked for it. `count`: reloads that have taken effect by now. */
export const reloadOutcome = (reloaded: Result<void, LoadFailure>, count: number): ReloadOutcome => {
  if (reloaded.ok) return { kind: 'reloaded', count };
  const errors = reloaded.error.problems.filter(({ severity }) => severity === 'error').map(formatProblem);
  return { kind: 'refused', problems: [...errors, ...reasonOf(reloaded.error)] };
};
