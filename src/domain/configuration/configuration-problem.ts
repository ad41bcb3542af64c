import type { AdviceId } from './advice-kinds.js';

const longestShown = 160;

/** Replaces control and text-direction characters by spaces, so that a file cannot manipulate the terminal. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');

/** The line with a caret below the column, in characters. A long line is cut around the caret. */
const excerpt = (line: string, column: number): string => {
  const characters = [...line];
  const from = column <= longestShown ? 0 : column - longestShown / 2;
  const shown = characters.slice(from, from + longestShown).join('');
  const text = `  ${printable(shown)}`;
  return column < 1 || column > characters.length + 1 ? text : `${text}\n  ${' '.repeat(column - 1 - from)}^`;
};

/** Formats a problem: `file:line:column: error: message [id]`, the line with a caret, and the suggestion. */
export const formatProblem = (problem: ConfigurationProblem): string => {
  const { severity, message, position, line, suggestion, id } = problem;
  const place = position === null ? '' : `${position.file}:${position.line}:${position.column}: `;
  const lines = [`${place}${severity}: ${printable(message)}${id === undefined ? '' : ` [${id}]`}`];
  if (position !== null && line !== null) lines.push(excerpt(line, position.column));
  if (suggestion !== null) lines.push(`  ${printable(suggestion)}`);
  return lines.join('\n');
};

/** A position in a configuration file. Line and column start at 1; columns count characters. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A problem of a configuration. Its text never contains a secret. */
export interface ConfigurationProblem {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Null: the configuration did not come from a file. */
  readonly position: SourcePosition | null;
  /** The line at `position`, without its line end and without possible secrets. Null: not shown. */
  readonly line: string | null;
  /** The remedy, as in `did you mean "path-prefix"?`. */
  readonly suggestion: string | null;
  /** The stable name of a safety warning. */
  readonly id?: AdviceId;
}

/** A problem without a position. */
export const unplacedProblem = (severity: ConfigurationProblem['severity'], message: string): ConfigurationProblem => ({
  severity,
  message,
  position: null,
  line: null,
  suggestion: null,
});
