import { type Entry, getLocation } from '@bgotink/kdl';
import type { SourcePosition } from '../../../domain/configuration/configuration-problem.js';
import type { Setting, SettingScalar } from '../../../domain/configuration/setting/setting.js';

const unit = '  ';

/** Escapes characters that KDL 2 requires to be escaped, and invisible ones. */
const escaped = (text: string): string =>
  Array.from(text, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    if (character === '\n') return '\\n';
    if (character === '\r') return '\\r';
    if (character === '\t') return '\\t';
    return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(character)
      ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
      : character;
  }).join('');

const quoted = (text: string): string => `"${escaped(text)}"`;

const plainName = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** Words that are not names in KDL 2. */
const keywords = new Set(['true', 'false', 'null', 'inf', 'nan']);

const nameText = (name: string): string => (plainName.test(name) && !keywords.has(name) ? name : quoted(name));

const scalarText = ({ value, reference }: SettingScalar): string => {
  if (reference !== undefined) return `(${reference.kind})${quoted(reference.name)}`;
  if (typeof value === 'string') return quoted(value);
  return typeof value === 'number' ? String(value) : `#${String(value)}`;
};

const lines = (settings: readonly Setting[], indent: string): readonly string[] =>
  settings.flatMap(({ name, args, properties, children }) => {
    const values = [
      ...args.map(scalarText),
      ...properties.map(({ name: property, value }) => `${nameText(property)}=${scalarText(value)}`),
    ];
    const head = [indent + nameText(name), ...values].join(' ');
    if (children === null) return [head];
    return [`${head} {`, ...lines(children, indent + unit), `${indent}}`];
  });

/** Formats settings as KDL 2 (https://kdl.dev/spec), one per line. */
export const settingsText = (settings: readonly Setting[]): string =>
  lines(settings, '')
    .map((line) => `${line}\n`)
    .join('');

/** The offset of an entry: of its name, type annotation or value. */
export const entryOffset = (entry: Entry): number => getLocation(entry)?.start.offset ?? 0;

/** Longer lines are not shown. */
const longestLine = 4096;

/** The text of a configuration file, with conversion between offsets and positions. */
export class SourceText {
  readonly file: string;
  readonly text: string;
  readonly #lineStarts: readonly number[];
  /** Offsets of low surrogates, which do not count as columns. */
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

  /** The inverse of `positionAt`. */
  offsetAt({ line, column }: SourcePosition): number {
    const start = this.#lineStarts[line - 1] ?? this.text.length;
    let offset = start + column - 1;
    // Each pair before the offset moves it by one, which may include another pair.
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

  /** A line by number, without its end; null: too long to show. */
  line(number: number): string | null {
    const start = this.#lineStarts[number - 1];
    if (start === undefined) return null;
    const end = this.#lineStarts[number] ?? this.text.length;
    return end - start > longestLine ? null : this.text.slice(start, end).replace(/[\r\n]+$/, '');
  }
}

/** The number of sorted values up to `limit`. */
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

/**
 * The offset after the block comment that begins at `start`; comments nest (KDL 2.0.0, section
 * 3.17).
 */
export const blockCommentEnd = (text: string, start: number): number => {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  let depth = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
};
