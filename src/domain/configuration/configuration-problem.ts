import type { AdviceId } from './advice-kinds.js';

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
  /** The line of the file that `position` names, without its line end; what may be a secret is cut off. Null: none to show. */
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
