import type { MigrationNote } from '../../../domain/configuration/whole/migration/migration-step.js';

/** A file that was migrated, as far as there is something to say of it. */
export interface ReportedFile {
  readonly path: string;
  readonly changes: readonly MigrationNote[];
  readonly left: readonly MigrationNote[];
}

const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');

const notes = (path: string, said: readonly MigrationNote[], prefix: string): readonly string[] =>
  said.map(({ line, message }) => printable(`${path}:${line}: ${prefix}${message}`));

/** What was changed in files and what was left, a line for each. */
export const migrationReport = (files: readonly ReportedFile[]): string => {
  const lines = files.flatMap(({ path, changes, left }) => [
    ...notes(path, changes, ''),
    ...notes(path, left, 'left as it is: '),
  ]);
  return lines.map((line) => `${line}\n`).join('');
};
