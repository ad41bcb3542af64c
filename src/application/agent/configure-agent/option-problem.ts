import type { AgentOptionProblem, OptionPlace } from '../../../domain/configuration/agent-option-problem.js';

/** `place` tells which key of the option it is about, where that is a block. */
export const optionProblem = (
  severity: AgentOptionProblem['severity'],
  option: AgentOptionProblem['option'],
  message: string,
  place?: OptionPlace,
): AgentOptionProblem => ({ severity, option, message, suggestion: null, ...(place !== undefined && { place }) });
