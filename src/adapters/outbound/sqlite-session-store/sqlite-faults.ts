/** SQLite itself does not wait for a lock: the thread would stand still meanwhile. */
export const busyTimeoutMs = 0;
/** Between two attempts, while others do their work. */
export const busyPauseMs = 10;
/** Milliseconds after which somebody else's lock is a failure. */
export const lockTimeoutMs = 1_000;

/** The file that was opened is no longer the one of its name: what is written to it is gone with this process. */
export class LostFileError extends Error {}

/** What is in a row was not written there by this program. */
export class DamagedRowError extends Error {}

/** What SQLite says went wrong (https://sqlite.org/rescode.html); null: it was not SQLite. */
const sqliteCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_')
    ? error.code
    : null;

/** Whether somebody else holds the file, which may be over in a moment. */
export const isBusy = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code !== null && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'));
};

/** Whether the file is no database any more, or a damaged one. */
export const isCorruption = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code !== null && (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB');
};

const wayOut = 'stop what uses it, then put a copy back or move it away together with its -wal and -shm files';

/** What is wrong with a damaged store, and the ways out of it. */
export const damaged = (path: string): string => `${path} is damaged: ${wayOut}`;

const explanations: readonly (readonly [code: string, explain: (path: string) => string])[] = [
  ['SQLITE_BUSY', (path) => `${path} is locked by another process`],
  ['SQLITE_LOCKED', (path) => `${path} is locked by another process`],
  ['SQLITE_CORRUPT', damaged],
  ['SQLITE_NOTADB', (path) => `${path} is no SQLite database, or its head is damaged: ${wayOut}`],
  ['SQLITE_FULL', (path) => `the disk of ${path} is full`],
  ['SQLITE_READONLY', (path) => `${path} or its folder cannot be written`],
  ['SQLITE_PERM', (path) => `${path} or its folder cannot be written`],
  ['SQLITE_CANTOPEN', (path) => `${path} or a file beside it cannot be opened or made`],
  ['SQLITE_CONSTRAINT_UNIQUE', () => 'the id is there already'],
  ['SQLITE_CONSTRAINT_PRIMARYKEY', () => 'the id is there already'],
];

/** One clause, without anything that is stored. */
export const explainFault = (error: unknown, path: string): string => {
  if (error instanceof LostFileError)
    return `${path} was removed or replaced while it is in use: reload, or start again`;
  if (error instanceof DamagedRowError) return damaged(path);
  const code = sqliteCode(error);
  if (code === null) return `${path} cannot be used`;
  const known = explanations.find(([prefix]) => code.startsWith(prefix));
  return known === undefined ? `${path} cannot be used: ${code}` : known[1](path);
};
