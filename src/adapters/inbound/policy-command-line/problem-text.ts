import { type ConfigurationProblem, formatProblem } from '../../../domain/configuration/configuration-problem.js';

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Every problem as text for a terminal; empty where there is none. */
export const problemsText = (problems: readonly ConfigurationProblem[]): string =>
  problems.map((problem) => `${formatProblem(problem)}\n`).join('');

/** How many there are, as in `1 error, 2 warnings`; empty where there is none. */
export const problemCounts = (problems: readonly ConfigurationProblem[]): string => {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  return [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ].join(', ');
};
