import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { migrate } from './migrate.js';
import { additions, applicationId } from './schema.js';
import type { SqliteModule } from './sqlite-module.js';
import { storeFileMode } from './store-file.js';

const folderMode = 0o700;

const linkUnlessThere = (from: string, to: string): void => {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
};

const syncFolder = (folder: string): void => {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

/**
 * Makes an empty store, and its folder where that is missing. It is made under another name and then linked to its own, so that
 * nobody ever sees a half-made one and an empty file is never a new store; where another process was quicker, its store stays.
 * Throws what the file system or SQLite throws.
 */
export const createStore = (sqlite: SqliteModule, path: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: folderMode });
  const draft = `${path}.new-${randomBytes(6).toString('hex')}`;
  try {
    closeSync(openSync(draft, 'wx', storeFileMode));
    const database = new sqlite(draft, { fileMustExist: true });
    try {
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = FULL');
      database.pragma(`application_id = ${applicationId}`);
      migrate(database);
      database.exec(additions);
    } finally {
      database.close();
    }
    linkUnlessThere(draft, path);
    syncFolder(dirname(path));
  } finally {
    for (const file of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(file, { force: true });
  }
};
