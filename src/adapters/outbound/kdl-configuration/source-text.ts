import type { SourcePosition } from '../../../domain/configuration/configuration-problem.js';

/** Lines that are longer are not shown. */
const longestLine = 4096;

/** A file of the configuration: its text, and which line and column an offset of it is. */
export class SourceText {
  readonly file: string;
  readonly text: string;
  readonly #lineStarts: readonly number[];
  /** Offsets of the second halves of surrogate pairs, which count as no column. */
  readonly #lowSurrogates: readonly number[];

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
    this.#lineStarts = [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), (end) => end.index + end[0].length)];
    this.#lowSurrogates = Array.from(text.matchAll(/[\u{10000}-\u{10FFFF}]/gu), (pair) => pair.index + 1);
  }

  positionAt(offset: number): SourcePosition {
    const line = countUpTo(this.#lineStarts, offset);
    const start = this.#lineStarts[line - 1] ?? 0;
    const pairs = countUpTo(this.#lowSurrogates, offset - 1) - countUpTo(this.#lowSurrogates, start - 1);
    return { file: this.file, line, column: offset - start - pairs + 1 };
  }

  /** The offset of a position that `positionAt` has given. */
  offsetAt({ line, column }: SourcePosition): number {
    const start = this.#lineStarts[line - 1] ?? this.text.length;
    let offset = start + column - 1;
    // Each pair before it moves it on by one, which may bring another pair before it.
    for (let pairs = -1, found = 0; pairs !== found; ) {
      pairs = found;
      found = countUpTo(this.#lowSurrogates, offset - 1) - countUpTo(this.#lowSurrogates, start - 1);
      offset = start + column - 1 + found;
    }
    return offset;
  }

  lineOf(offset: number): number {
    return countUpTo(this.#lineStarts, offset);
  }

  /** A line without its end, by its number; null where it is too long to be shown. */
  line(number: number): string | null {
    const start = this.#lineStarts[number - 1];
    if (start === undefined) return null;
    const end = this.#lineStarts[number] ?? this.text.length;
    return end - start > longestLine ? null : this.text.slice(start, end).replace(/[\r\n]+$/, '');
  }
}

/** How many of the sorted numbers are at most `limit`. */
const countUpTo = (sorted: readonly number[], limit: number): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
};
