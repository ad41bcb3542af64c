import { migrations } from './schema.js';
import type { Database } from './sqlite-module.js';

const versionOf = (database: Database): number => Number(database.pragma('user_version', { simple: true }));

/** A store of a later version than this program knows: to use it would be to guess. */
export class UnknownVersionError extends Error {
  constructor(path: string, version: number, known: number) {
    super(
      `${path} was written by a later version (its schema is ${version}, this one knows ${known}): ` +
        'start that version, or name another file',
    );
  }
}

/**
 * Brings a database to the latest version, step by step, each in a transaction of its own: one that fails leaves the version
 * before it. Throws what SQLite throws, or an UnknownVersionError.
 */
export const migrate = (database: Database, steps: readonly string[] = migrations): void => {
  for (;;) {
    const found = versionOf(database);
    if (found > steps.length) throw new UnknownVersionError(database.name, found, steps.length);
    if (found === steps.length) return;
    database
      .transaction(() => {
        // Another process may have been quicker.
        const version = versionOf(database);
        const step = steps[version];
        if (step === undefined) return;
        database.exec(step);
        database.pragma(`user_version = ${version + 1}`);
      })
      .immediate();
  }
};
