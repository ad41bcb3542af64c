import type { AdviceId } from '../advice-kinds.js';
import type { ConfigurationProblem, SourcePosition } from '../configuration-problem.js';
import { hiddenInLine } from '../hidden-text.js';
import { didYouMean } from './did-you-mean.js';

/**
 * Returns the printable line of a position. It hides settings with secret names; with `secret` it also hides the
 * setting at the position.
 */
export type LineLookup = (position: SourcePosition, secret: boolean) => string | null;

/** The position in a file of an offset in the text that begins at `text`; null: unknown. */
export type TextPlaceLookup = (text: SourcePosition, offset: number) => SourcePosition | null;

export interface ProblemDetails {
  readonly severity?: 'error' | 'warning';
  readonly position: SourcePosition | null;
  /** Names of the enclosing settings, shown if there is no position. */
  readonly path: readonly string[];
  readonly suggestion?: string | null;
  /** The setting may hold a secret although its name does not show it; the position is that of its name. */
  readonly secret?: boolean;
  /** The stable name of a warning about safety. */
  readonly id?: AdviceId;
}

/** Largest number of problems to show. */
export const maximumProblems = 100;
/** Largest number of problems to keep before sorting. */
const maximumKept = 1000;

/** A position as the key of a set. */
export const positionKey = ({ file, line, column }: SourcePosition): string => `${line}:${column}:${file}`;

const nowhere: ReadonlySet<string> = new Set();

/** Collects the problems of a configuration. */
export class ProblemReport {
  readonly #problems: ConfigurationProblem[] = [];
  readonly #lines: LineLookup;
  readonly #places: TextPlaceLookup;
  readonly #shared: ReadonlySet<string>;
  /** Problems at shared positions that were added. */
  readonly #added = new Set<string>();
  #errors = 0;

  /**
   * @param shared the `positionKey` of every position whose setting several routes share. Each of its problems is added
   *   once, for the first route
   */
  constructor(lines: LineLookup, places: TextPlaceLookup = () => null, shared: ReadonlySet<string> = nowhere) {
    this.#lines = lines;
    this.#places = places;
    this.#shared = shared;
  }

  #isRepeated(message: string, position: SourcePosition | null): boolean {
    if (position === null || this.#shared.size === 0) return false;
    const place = positionKey(position);
    if (!this.#shared.has(place)) return false;
    const key = `${place} ${message.replace(/route "[^"]*"/g, 'route')}`;
    if (this.#added.has(key)) return true;
    this.#added.add(key);
    return false;
  }

  add(message: string, details: ProblemDetails): void {
    const { position, path, suggestion = null, severity = 'error', secret = false, id } = details;
    if (this.#isRepeated(message, position)) return;
    this.append({
      severity,
      message: hiddenInLine(position === null && path.length > 0 ? `${path.join('.')}: ${message}` : message),
      position,
      line: position === null ? null : this.#lines(position, secret),
      suggestion: suggestion === null ? null : hiddenInLine(suggestion),
      ...(id !== undefined && { id }),
    });
  }

  /** Adds a problem unchanged. */
  append(problem: ConfigurationProblem): void {
    if (problem.severity === 'error') this.#errors += 1;
    // Always keep the first error: it decides the outcome.
    if (this.#problems.length < maximumKept || (problem.severity === 'error' && this.#errors === 1)) {
      this.#problems.push(problem);
    }
  }

  /** `did you mean "..."?`, or null. Returns null if there are many problems, to save time. */
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

/** Sorts by file, line and column. Files keep their order of appearance; problems without a position come last. */
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

/** Shortens a long list of problems and adds a note. Errors take precedence over warnings. */
export const boundedProblems = (problems: readonly ConfigurationProblem[]): readonly ConfigurationProblem[] => {
  if (problems.length <= maximumProblems) return problems;
  const errors = problems.filter((problem) => problem.severity === 'error');
  const kept = (errors.length > 0 ? errors : problems).slice(0, maximumProblems);
  return [
    ...kept,
    {
      severity: errors.length > 0 ? 'error' : 'warning',
      message: `more than ${maximumProblems} problems: correct these first to see the rest`,
      position: null,
      line: null,
      suggestion: null,
    },
  ];
};
