import type { ConfigurationProblem } from './configuration-problem.js';

const longestShown = 160;

/** Control characters, and those that turn the direction of text, shown as spaces: a file must not paint on a terminal. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');

/** The line and a caret below its column; a long line is cut around the caret. Columns count characters. */
const excerpt = (line: string, column: number): string => {
  const characters = [...line];
  const from = column <= longestShown ? 0 : column - longestShown / 2;
  const shown = characters.slice(from, from + longestShown).join('');
  const text = `  ${printable(shown)}`;
  return column < 1 || column > characters.length + 1 ? text : `${text}\n  ${' '.repeat(column - 1 - from)}^`;
};

/** A problem as people read it: `file:line:column: error: message [id]`, the line with a caret below it, the suggestion. */
export const formatProblem = (problem: ConfigurationProblem): string => {
  const { severity, message, position, line, suggestion, id } = problem;
  const place = position === null ? '' : `${position.file}:${position.line}:${position.column}: `;
  const lines = [`${place}${severity}: ${printable(message)}${id === undefined ? '' : ` [${id}]`}`];
  if (position !== null && line !== null) lines.push(excerpt(line, position.column));
  if (suggestion !== null) lines.push(`  ${printable(suggestion)}`);
  return lines.join('\n');
};
