import type { AgentOptionProblem, OptionSource } from '../../configuration/agent-option-problem.js';
import type { ConfigurationProblem } from '../../configuration/configuration-problem.js';

/** A problem of an option as one of a configuration; `prefix` tells whose option it is. */
export const toConfigurationProblem = (
  { severity, option, message, suggestion, source, id }: AgentOptionProblem,
  prefix = '',
): ConfigurationProblem => ({
  severity,
  message: `${prefix}${option}: ${message}`,
  position: source?.position ?? null,
  line: source?.line ?? null,
  suggestion,
  ...(id !== undefined && { id }),
});

/** The problem at a place that was found for it. */
export const locatedProblem = (problem: AgentOptionProblem, found: OptionSource | null): AgentOptionProblem =>
  found === null ? problem : { ...problem, source: found };

/** What is wrong, in one line for a log or a refusal: with its place, without the text that stands there. */
export const optionProblemText = ({ option, message, source }: AgentOptionProblem): string => {
  if (source === undefined) return `${option}: ${message}`;
  const { file, line, column } = source.position;
  return `${option}: ${file}:${line}:${column}: ${message}`;
};
