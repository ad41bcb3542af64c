import { type ConfigurationProblem, formatProblem } from '../../../domain/configuration/configuration-problem.js';

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Every problem of a configuration as text for a terminal, and how many there are; empty where there is none. */
export const reportProblems = (problems: readonly ConfigurationProblem[]): string => {
  if (problems.length === 0) return '';
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const counts = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(problems.length > errors ? [counted(problems.length - errors, 'warning')] : []),
  ];
  return `${problems.map(formatProblem).join('\n')}\n${counts.join(', ')}\n`;
};
