import { stat } from 'node:fs/promises';
import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';
import type { MigrationNote } from '../../../domain/configuration/whole/migration/migration-step.js';
import type { PathPatternCompiler } from '../../../domain/gateway/routing/path-pattern.js';
import { ok } from '../../../domain/shared/result.js';
import { type ConfigurationFiles, filesOnDisk } from './configuration-files.js';
import { KdlConfigurationSource } from './kdl-configuration-source.js';
import { migrateText } from './migrate-text.js';

/** A file of a configuration before and after its migration. */
export interface MigratedFile {
  readonly path: string;
  /** As on the disk, including a byte order mark. */
  readonly before: string;
  readonly after: string;
  readonly changes: readonly MigrationNote[];
  readonly left: readonly MigrationNote[];
  /** Why it cannot be migrated, such as a syntax error; null: it can. */
  readonly refused: string | null;
}

/** The result of migrating a configuration. Nothing is written. */
export interface MigratedConfiguration {
  /** The requested file, then its included files. Empty: unreadable. */
  readonly files: readonly MigratedFile[];
  /** The errors of the resulting configuration. */
  readonly problems: readonly ConfigurationProblem[];
}

const byteOrderMark = '\ufeff';
const octetsOfMark = 3;

/** The byte order mark of a file. The reader drops it, but an unchanged file must stay identical. */
const markOf = async (path: string, text: string): Promise<string> => {
  const status = await stat(path).catch(() => null);
  return status?.size === Buffer.byteLength(text) + octetsOfMark ? byteOrderMark : '';
};

/**
 * Migrates a file and its included files, and checks the result. Referenced variables and files are not read, because
 * they may exist only on another host.
 */
export const migrateConfiguration = async (
  path: string,
  patterns: PathPatternCompiler,
): Promise<MigratedConfiguration> => {
  const files = new Map<string, MigratedFile>();
  const migrating: ConfigurationFiles = {
    identity: filesOnDisk.identity,
    async read(file, maximumBytes) {
      const read = await filesOnDisk.read(file, maximumBytes);
      if (!read.ok) return read;
      const { text, changes, left, refused } = migrateText(read.value);
      const mark = await markOf(file, read.value);
      if (!files.has(file)) {
        files.set(file, { path: file, before: mark + read.value, after: mark + text, changes, left, refused });
      }
      return ok(text);
    },
  };
  const source = new KdlConfigurationSource(path, { environment: null, patterns, files: migrating });
  const { problems } = await source.load();
  return { files: [...files.values()], problems: problems.filter(({ severity }) => severity === 'error') };
};
