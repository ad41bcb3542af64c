import { type AdviceId, adviceKinds } from '../../advice-kinds.js';
import type { ConfigurationProblem, SourcePosition } from '../../configuration-problem.js';
import type { LineLookup } from '../../schema/problem-report.js';

/** A warning with a stable name. The default suggestion is that of its kind. */
export const advice = (
  id: AdviceId,
  message: string,
  position: SourcePosition | null,
  line: string | null,
  suggestion: string = adviceKinds[id].instead,
): ConfigurationProblem => ({
  severity: 'warning',
  message,
  position,
  line,
  suggestion,
  id,
});

/** Collects advice about one configuration. */
export class AdviceReport {
  readonly #lines: LineLookup;
  readonly problems: ConfigurationProblem[] = [];

  constructor(lines: LineLookup) {
    this.#lines = lines;
  }

  /** @param secret the setting at the position may be a secret, whatever its name */
  add(id: AdviceId, message: string, position: SourcePosition | null, secret = false): void {
    this.problems.push(advice(id, message, position, this.#lineAt(position, secret)));
  }

  /** Adds advice with a specific suggestion. */
  suggest(id: AdviceId, message: string, position: SourcePosition | null, suggestion: string): void {
    this.problems.push(advice(id, message, position, this.#lineAt(position, false), suggestion));
  }

  #lineAt(position: SourcePosition | null, secret: boolean): string | null {
    return position === null ? null : this.#lines(position, secret);
  }
}
