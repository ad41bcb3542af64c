import { chmodSync, closeSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { damaged } from './sqlite-faults.js';

/** Owner-only permissions. */
export const storeFileMode = 0o600;

/**
 * First octets of a write-ahead log in either byte order
 * (https://sqlite.org/fileformat2.html#walformat).
 */
const walMagic = new Set([0x377f0682, 0x377f0683]);

/** The write-ahead log of a database. */
export const logOf = (path: string): string => `${path}-wal`;

/** The files that SQLite keeps beside a database while it is in use. */
const sideFiles = (path: string): readonly string[] => [logOf(path), `${path}-shm`];

const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';

/** Why a file or folder cannot be created or inspected. */
export const explainStoreFileError = (error: unknown, path: string): string => {
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return `no permission to use or create ${path}: let the user of this process write to its folder, or set another path`;
    case 'EROFS':
      return `the file system of ${path} is read-only`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `the disk of ${path} is full`;
    case 'ENOTDIR':
    case 'EEXIST':
      return `a part of the path of ${path} is not a folder`;
    default:
      return `${path} is unusable: ${errorCode(error)}`;
  }
};

const ownFault = (path: string, stats: Stats): string | null => {
  if (stats.isSymbolicLink()) return `${path} is a symbolic link: set the path of the file itself`;
  if (!stats.isFile()) return `${path} is not a regular file`;
  const user = process.getuid?.();
  if (user === undefined || stats.uid === user) return null;
  return `${path} belongs to user ${stats.uid}, but this process runs as user ${user}: run it as the owner`;
};

/**
 * A log with other content was not left by a crash: SQLite would ignore it and lose data silently.
 */
const hasForeignLog = (path: string): boolean => {
  const log = openSync(logOf(path), 'r');
  try {
    const head = Buffer.alloc(4);
    if (readSync(log, head, 0, 4, 0) < 4) return false;
    const magic = head.readUInt32BE();
    // Zeros: the log was extended, and power failed before its header was written.
    return magic !== 0 && !walMagic.has(magic);
  } finally {
    closeSync(log);
  }
};

/**
 * Whether a store may be opened or created at a path. Opens no database file: closing it would drop
 * the locks of another connection in this process (https://sqlite.org/howtocorrupt.html, section
 * 2.2). The error is one clause.
 */
export const checkStoreFile = (path: string): Result<'present' | 'absent', string> => {
  try {
    const statOf = (file: string): Stats | undefined => lstatSync(file, { throwIfNoEntry: false });
    for (const file of [path, ...sideFiles(path)]) {
      const stats = statOf(file);
      const fault = stats === undefined ? null : ownFault(file, stats);
      if (fault !== null) return err(fault);
    }
    const log = statOf(logOf(path));
    const hasLog = log !== undefined && log.size > 0;
    const main = statOf(path);
    if (main === undefined)
      return hasLog
        ? err(`${path} is missing, but ${logOf(path)} exists: restore the file, or remove the log`)
        : ok('absent');
    if (main.size === 0) return err(`${path} is empty and not a session store: restore a copy, or remove it`);
    return hasLog && hasForeignLog(path) ? err(damaged(logOf(path))) : ok('present');
  } catch (error) {
    return err(explainStoreFileError(error, path));
  }
};

/** Removes the permissions of others from the files of a store, by path: see above. */
export const narrowStoreFiles = (path: string): void => {
  for (const file of [path, ...sideFiles(path)]) {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats !== undefined && (stats.mode & 0o777) !== storeFileMode) chmodSync(file, storeFileMode);
  }
};
