import { type ConfigurationProblem, formatProblem } from '../../domain/configuration/configuration-problem.js';

/** Replaces control and text-direction characters by spaces, so that text cannot manipulate the terminal. */
export const printableText = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');

/** As in `1 case`, `2 cases`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** All problems with their positions. Empty: there are none. */
export const problemsText = (problems: readonly ConfigurationProblem[]): string =>
  problems.map((problem) => `${formatProblem(problem)}\n`).join('');

/** The number of problems, as in `1 error, 2 warnings`. Empty: there are none. */
export const problemCounts = (problems: readonly ConfigurationProblem[]): string => {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  return [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ].join(', ');
};

/** All problems, then their number. Empty: there are none. */
export const reportProblems = (problems: readonly ConfigurationProblem[]): string =>
  problems.length === 0 ? '' : `${problemsText(problems)}${problemCounts(problems)}\n`;
