import type { ConfigurationProblem, SourcePosition } from '../configuration-problem.js';
import type { LineLookup } from '../schema/problem-report.js';
import { type AdviceId, adviceKinds } from './advice-kinds.js';

/** A warning with the name of its kind. */
export const advice = (
  id: AdviceId,
  message: string,
  position: SourcePosition | null,
  line: string | null,
): ConfigurationProblem => ({
  severity: 'warning',
  message,
  position,
  line,
  suggestion: adviceKinds[id].instead,
  id,
});

/** Collects advice about one configuration. */
export class AdviceReport {
  readonly #lines: LineLookup;
  readonly problems: ConfigurationProblem[] = [];

  constructor(lines: LineLookup) {
    this.#lines = lines;
  }

  /** @param secret what stands at the position may be a secret, whatever its name is */
  add(id: AdviceId, message: string, position: SourcePosition | null, secret = false): void {
    this.problems.push(advice(id, message, position, position === null ? null : this.#lines(position, secret)));
  }
}
