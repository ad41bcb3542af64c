/** SQLite's own lock wait would block the thread. */
export const busyTimeoutMs = 0;
/** Delay between two attempts. */
export const busyPauseMs = 10;
/** Timeout for a lock of another process, in milliseconds. */
export const lockTimeoutMs = 1_000;

/** The path now names another file; writes to the opened one are lost at exit. */
export class LostFileError extends Error {}

/** A row contains data that this program did not write. */
export class DamagedRowError extends Error {}

/** SQLite's error code (https://sqlite.org/rescode.html); null for other errors. */
const sqliteCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_')
    ? error.code
    : null;

/** Whether another process holds a lock, which may end soon. */
export const isBusy = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code !== null && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'));
};

/** Whether the file is damaged or no database. */
export const isCorruption = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code !== null && (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB');
};

const recovery = 'stop all processes that use it, then restore a copy or move it away with its -wal and -shm files';

/** What is damaged, and how to recover. */
export const damaged = (path: string): string => `${path} is damaged: ${recovery}`;

const explanations: readonly (readonly [code: string, explain: (path: string) => string])[] = [
  ['SQLITE_BUSY', (path) => `${path} is locked by another process`],
  ['SQLITE_LOCKED', (path) => `${path} is locked by another process`],
  ['SQLITE_CORRUPT', damaged],
  ['SQLITE_NOTADB', (path) => `${path} is not a SQLite database, or its header is damaged: ${recovery}`],
  ['SQLITE_FULL', (path) => `the disk of ${path} is full`],
  ['SQLITE_READONLY', (path) => `${path} or its folder cannot be written`],
  ['SQLITE_PERM', (path) => `${path} or its folder cannot be written`],
  ['SQLITE_CANTOPEN', (path) => `${path} or a file beside it cannot be opened or created`],
  ['SQLITE_CONSTRAINT_UNIQUE', () => 'the id already exists'],
  ['SQLITE_CONSTRAINT_PRIMARYKEY', () => 'the id already exists'],
];

/** One clause without stored data. */
export const explainFault = (error: unknown, path: string): string => {
  if (error instanceof LostFileError) return `${path} was removed or replaced while in use: reload or restart`;
  if (error instanceof DamagedRowError) return damaged(path);
  const code = sqliteCode(error);
  if (code === null) return `${path} is unusable`;
  const known = explanations.find(([prefix]) => code.startsWith(prefix));
  return known === undefined ? `${path} is unusable: ${code}` : known[1](path);
};
