import { type CommandOutput, failedCommand } from '../../adapters/command-line/command-output.js';
import { reportProblems } from '../../adapters/command-line/terminal-text.js';
import { migrationReport, unifiedDiff } from '../../adapters/inbound/gateway-command-line/migration-report.js';
import type { MigrationOutput } from '../../adapters/inbound/gateway-command-line/parse-gateway-arguments.js';
import {
  type MigratedConfiguration,
  type MigratedFile,
  migrateConfiguration,
} from '../../adapters/outbound/kdl-configuration/kdl-migration.js';
import { isSameFile, keepCopy, replaceTextFile } from '../../adapters/outbound/node-text-files/replace-text-file.js';
import { re2PathPatterns } from '../../adapters/outbound/re2-path-patterns/re2-path-patterns.js';

const isChanged = ({ before, after }: MigratedFile): boolean => before !== after;

/** Copies all old files first, then writes the new ones. Stops at the first failure. */
const writeInPlace = async (files: readonly MigratedFile[]): Promise<{ said: string; isDone: boolean }> => {
  let said = '';
  for (const { path } of files) {
    const kept = await keepCopy(path);
    if (!kept.ok) return { said: `${said}error: ${kept.error}\n`, isDone: false };
    said += `${path}: the old text is kept as ${kept.value}\n`;
  }
  for (const { path, after } of files) {
    const written = await replaceTextFile(path, after, 'replace', path);
    if (!written.ok) return { said: `${said}error: ${written.error}\n`, isDone: false };
  }
  return { said, isDone: true };
};

const writeTo = async (
  main: MigratedFile,
  { path, force }: Extract<MigrationOutput, { kind: 'file' }>,
): Promise<string | null> => {
  if (await isSameFile(main.path, path)) return `${path} is the file itself: use --in-place, which keeps a copy`;
  const written = await replaceTextFile(path, main.after, force ? 'replace' : 'keep', main.path);
  if (written.ok) return null;
  return force
    ? written.error
    : `${written.error}${written.error.endsWith('already exists') ? '; --force replaces it' : ''}`;
};

/** Notes that included files are not migrated with the main file. */
const includedText = (included: readonly MigratedFile[]): string =>
  included
    .filter(isChanged)
    .map(({ path }) => `${path}: this included file needs a migration too: --in-place changes all files at once\n`)
    .join('');

const outcome = (
  { files, problems }: MigratedConfiguration,
  stdout: string,
  report: string,
  isWhole: boolean,
): CommandOutput => {
  const isLeft = files.some(({ left }) => left.length > 0);
  const stderr = `${report}${problems.length === 0 ? '' : `The result has errors:\n${reportProblems(problems)}`}`;
  return { stdout, stderr, exitCode: isLeft || problems.length > 0 || !isWhole ? 1 : 0 };
};

/** Migrates a configuration and writes it to the given output. */
export const migrateToOutput = async (configFile: string, output: MigrationOutput): Promise<CommandOutput> => {
  const migrated = await migrateConfiguration(configFile, re2PathPatterns);
  const { files, problems } = migrated;
  const [main, ...included] = files;
  if (main === undefined) return failedCommand(reportProblems(problems));
  const changed = files.filter(isChanged);
  if (main.refused !== null)
    return failedCommand(`${reportProblems(problems)}${main.path}: ${main.refused}; nothing is written\n`);
  if (output.kind === 'diff') {
    const diff = changed.map(({ path, before, after }) => unifiedDiff(path, before, after)).join('');
    return outcome(migrated, diff, migrationReport(files), true);
  }
  if (output.kind === 'in-place') {
    const report = migrationReport(files);
    if (problems.length > 0 || files.some(({ left }) => left.length > 0)) {
      return outcome(
        migrated,
        '',
        `${report}Nothing is written: use -o FILE and complete the result by hand.\n`,
        false,
      );
    }
    const { said, isDone } = await writeInPlace(changed);
    return isDone ? outcome(migrated, '', report + said, true) : failedCommand(report + said);
  }
  const report = migrationReport([main]) + includedText(included);
  const isWhole = !included.some(isChanged);
  if (output.kind === 'stdout') return outcome(migrated, main.after, report, isWhole);
  const fault = await writeTo(main, output);
  return fault === null ? outcome(migrated, '', report, isWhole) : failedCommand(`error: ${fault}\n`);
};
