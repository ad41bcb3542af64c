import type { MigrationNote } from '../../../domain/configuration/whole/migration/migration-step.js';
import { printableText } from '../../command-line/terminal-text.js';

/** What a migration did to a file. */
export interface ReportedFile {
  readonly path: string;
  readonly changes: readonly MigrationNote[];
  readonly left: readonly MigrationNote[];
}

const notes = (path: string, said: readonly MigrationNote[], prefix: string): readonly string[] =>
  said.map(({ line, message }) => printableText(`${path}:${line}: ${prefix}${message}`));

/** A line for each change, and for each form that no rule can change. */
export const migrationReport = (files: readonly ReportedFile[]): string => {
  const lines = files.flatMap(({ path, changes, left }) => [
    ...notes(path, changes, ''),
    ...notes(path, left, 'left as it is: '),
  ]);
  return lines.map((line) => `${line}\n`).join('');
};

/** Unchanged lines around each change. */
const contextLines = 3;
/** The most lines that are compared. A longer text counts as changed from its first line to its last. */
const mostCompared = 3000;

type Edit = { readonly kind: ' ' | '-' | '+'; readonly line: string };

const linesOf = (text: string): readonly string[] => (text === '' ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []));

/** The edits from one list to the other, by their longest common subsequence. */
const compare = (before: readonly string[], after: readonly string[]): readonly Edit[] => {
  const gone = before.map((line): Edit => ({ kind: '-', line }));
  const come = after.map((line): Edit => ({ kind: '+', line }));
  if (before.length > mostCompared || after.length > mostCompared) return [...gone, ...come];
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        before[row] === after[column]
          ? (lengths[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0);
    }
  }
  const edits: Edit[] = [];
  let [row, column] = [0, 0];
  while (row < before.length && column < after.length) {
    const line = before[row] ?? '';
    if (line === after[column]) {
      edits.push({ kind: ' ', line });
      row += 1;
      column += 1;
    } else if ((lengths[(row + 1) * width + column] ?? 0) >= (lengths[row * width + column + 1] ?? 0)) {
      edits.push({ kind: '-', line });
      row += 1;
    } else {
      edits.push({ kind: '+', line: after[column] ?? '' });
      column += 1;
    }
  }
  return [...edits, ...gone.slice(row), ...come.slice(column)];
};

const shown = ({ kind, line }: Edit): string =>
  line.endsWith('\n') ? `${kind}${line}` : `${kind}${line}\n\\ No newline at end of file\n`;

const range = (start: number, count: number): string =>
  count === 1 ? `${start}` : `${count === 0 ? start - 1 : start},${count}`;

/** Ranges of edits: changes with their context. */
const hunks = (edits: readonly Edit[]): readonly (readonly [number, number])[] => {
  const found: [number, number][] = [];
  edits.forEach(({ kind }, index) => {
    if (kind === ' ') return;
    const [from, to] = [Math.max(0, index - contextLines), Math.min(edits.length, index + contextLines + 1)];
    const last = found.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else found.push([from, to]);
  });
  return found;
};

/** The changes in the format of `diff -u`, which `patch` reads. Empty: the texts are equal. */
export const unifiedDiff = (path: string, before: string, after: string): string => {
  if (before === after) return '';
  const edits = compare(linesOf(before), linesOf(after));
  const parts = hunks(edits).map(([from, to]) => {
    const own = edits.slice(from, to);
    const count = (skipped: Edit['kind'], some: readonly Edit[]) => some.filter(({ kind }) => kind !== skipped).length;
    const old = range(count('+', edits.slice(0, from)) + 1, count('+', own));
    const now = range(count('-', edits.slice(0, from)) + 1, count('-', own));
    return `@@ -${old} +${now} @@\n${own.map(shown).join('')}`;
  });
  return `--- ${path}\n+++ ${path} (migrated)\n${parts.join('')}`;
};
