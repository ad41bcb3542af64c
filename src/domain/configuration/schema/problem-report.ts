import type { AdviceId } from '../advice-kinds.js';
import type { ConfigurationProblem, SourcePosition } from '../configuration-problem.js';
import { hiddenInLine } from '../hidden-text.js';
import { didYouMean } from './did-you-mean.js';

/**
 * Gives the line of a position as it may be shown. It knows by their names which settings hold secrets; `secret` says
 * that the one whose name is at the position may do so too.
 */
export type LineLookup = (position: SourcePosition, secret: boolean) => string | null;

/** The place in a file of an offset in one of its texts, which begins at `text`; null: it is not known. */
export type TextPlaceLookup = (text: SourcePosition, offset: number) => SourcePosition | null;

export interface ProblemDetails {
  readonly severity?: 'error' | 'warning';
  readonly position: SourcePosition | null;
  /** Names of the settings that lead to it, for what has no position. */
  readonly path: readonly string[];
  readonly suggestion?: string | null;
  /** The setting may hold a secret though its name does not say so; the position is that of its name. */
  readonly secret?: boolean;
  /** The stable name of a warning about safety. */
  readonly id?: AdviceId;
}

/** Problems that are shown of one configuration, at most. */
export const maximumProblems = 100;
/** Problems that are kept until they are put in order. */
const maximumKept = 1000;

/** Collects what is wrong with a configuration. */
export class ProblemReport {
  readonly #problems: ConfigurationProblem[] = [];
  readonly #lines: LineLookup;
  readonly #places: TextPlaceLookup;
  #errors = 0;

  constructor(lines: LineLookup, places: TextPlaceLookup = () => null) {
    this.#lines = lines;
    this.#places = places;
  }

  add(message: string, details: ProblemDetails): void {
    const { position, path, suggestion = null, severity = 'error', secret = false, id } = details;
    this.append({
      severity,
      message: hiddenInLine(position === null && path.length > 0 ? `${path.join('.')}: ${message}` : message),
      position,
      line: position === null ? null : this.#lines(position, secret),
      suggestion: suggestion === null ? null : hiddenInLine(suggestion),
      ...(id !== undefined && { id }),
    });
  }

  /** Takes a problem as it is. */
  append(problem: ConfigurationProblem): void {
    if (problem.severity === 'error') this.#errors += 1;
    // The first error is kept in every case: it decides the outcome.
    if (this.#problems.length < maximumKept || (problem.severity === 'error' && this.#errors === 1)) {
      this.#problems.push(problem);
    }
  }

  /** `did you mean "..."?`, or null. Gives up where there are many problems: a long list of near misses takes time. */
  nearMiss(word: string, known: readonly string[]): string | null {
    return this.#problems.length < maximumProblems ? didYouMean(word, known) : null;
  }

  lineAt(position: SourcePosition, secret: boolean): string | null {
    return this.#lines(position, secret);
  }

  placeInText(text: SourcePosition, offset: number): SourcePosition | null {
    return this.#places(text, offset);
  }

  get hasErrors(): boolean {
    return this.#errors > 0;
  }

  get problems(): readonly ConfigurationProblem[] {
    return this.#problems;
  }
}

/** Problems in the order of the file; files in the order in which they first appear, what has no place last. */
export const inFileOrder = (problems: readonly ConfigurationProblem[]): readonly ConfigurationProblem[] => {
  const files = new Map<string, number>();
  for (const { position } of problems)
    if (position !== null && !files.has(position.file)) files.set(position.file, files.size);
  const rank = ({ position }: ConfigurationProblem): readonly [number, number, number] =>
    position === null ? [files.size, 0, 0] : [files.get(position.file) ?? 0, position.line, position.column];
  return problems.toSorted((left, right) => {
    const [a, b] = [rank(left), rank(right)];
    return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
  });
};

/** Cuts a long list of problems, never an error for a warning's sake, and says so. */
export const boundedProblems = (problems: readonly ConfigurationProblem[]): readonly ConfigurationProblem[] => {
  if (problems.length <= maximumProblems) return problems;
  const errors = problems.filter((problem) => problem.severity === 'error');
  const kept = (errors.length > 0 ? errors : problems).slice(0, maximumProblems);
  return [
    ...kept,
    {
      severity: errors.length > 0 ? 'error' : 'warning',
      message: `there are more than ${maximumProblems} problems; the rest is not shown`,
      position: null,
      line: null,
      suggestion: null,
    },
  ];
};
