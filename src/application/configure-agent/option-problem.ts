import type { AgentOptionProblem } from '../../domain/configuration/agent-configuration.js';

export const optionProblem = (
  severity: AgentOptionProblem['severity'],
  option: AgentOptionProblem['option'],
  message: string,
): AgentOptionProblem => ({ severity, option, message, suggestion: null });
