import type { AdviceId } from './advice-kinds.js';

const longestShown = 160;

/**
 * Control characters, and those that turn the direction of text, shown as spaces: a file must not paint on a
 * terminal.
 */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');

/** The line and a caret below its column; a long line is cut around the caret. Columns count characters. */
const excerpt = (line: string, column: number): string => {
  const characters = [...line];
  const from = column <= longestShown ? 0 : column - longestShown / 2;
  const shown = characters.slice(from, from + longestShown).join('');
  const text = `  ${printable(shown)}`;
  return column < 1 || column > characters.length + 1 ? text : `${text}\n  ${' '.repeat(column - 1 - from)}^`;
};

/**
 * A problem as people read it: `file:line:column: error: message [id]`, the line with a caret below it, the
 * suggestion.
 */
export const formatProblem = (problem: ConfigurationProblem): string => {
  const { severity, message, position, line, suggestion, id } = problem;
  const place = position === null ? '' : `${position.file}:${position.line}:${position.column}: `;
  const lines = [`${place}${severity}: ${printable(message)}${id === undefined ? '' : ` [${id}]`}`];
  if (position !== null && line !== null) lines.push(excerpt(line, position.column));
  if (suggestion !== null) lines.push(`  ${printable(suggestion)}`);
  return lines.join('\n');
};

/** A place in a configuration file; line and column count from 1, columns in characters. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong with a configuration. Its text never holds a secret. */
export interface ConfigurationProblem {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Null where the configuration did not come from a file. */
  readonly position: SourcePosition | null;
  /**
   * The line of the file that `position` names, without its line end; what may be a secret is cut off. Null: none to
   * show.
   */
  readonly line: string | null;
  /** What to write instead, as in `did you mean "path-prefix"?`. */
  readonly suggestion: string | null;
  /** The stable name of a warning that is about safety. */
  readonly id?: AdviceId;
}

/** A problem that no line of a file stands for. */
export const unplacedProblem = (severity: ConfigurationProblem['severity'], message: string): ConfigurationProblem => ({
  severity,
  message,
  position: null,
  line: null,
  suggestion: null,
});
