import type { AgentOptionProblem, OptionPlace } from '../../../domain/configuration/agent-option-problem.js';

/** `place`: the key within a block option. */
export const optionProblem = (
  severity: AgentOptionProblem['severity'],
  option: AgentOptionProblem['option'],
  message: string,
  place?: OptionPlace,
): AgentOptionProblem => ({ severity, option, message, suggestion: null, ...(place !== undefined && { place }) });
