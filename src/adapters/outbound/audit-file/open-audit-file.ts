import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { AuditLog } from '../../../application/ports/shared/audit-log.js';
import type { Logger } from '../../../application/ports/shared/logger.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { AuditFile, fileWriter } from './audit-file.js';

/** Non-blocking: a pipe without a reader must not block the start. */
const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK;

/** The audit log is private to its owner. */
const ownerOnly = 0o600;

const advice: Readonly<Record<string, string>> = {
  ENOENT: 'its directory does not exist',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a directory',
  ENXIO: 'it is a pipe, not a file',
};

const reasonOf = (error: unknown, creates: boolean): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (code === 'ENOENT' && !creates) return 'it does not exist';
  return advice[code] ?? code;
};

/** Opens the audit log, and creates it if it is missing and `creates`. The error is one clause. */
export const openAuditFile = async (
  path: string,
  logger: Logger,
  creates = true,
): Promise<Result<AuditLog, string>> => {
  const refused = (reason: string) => err(`the audit log ${path} cannot be opened: ${reason}`);
  let file: FileHandle;
  try {
    file = await open(path, creates ? appending | constants.O_CREAT : appending, ownerOnly);
  } catch (error) {
    return refused(reasonOf(error, creates));
  }
  try {
    const stats = await file.stat();
    if (stats.isFile()) {
      return ok(new AuditFile(fileWriter(file), { path, identity: `${stats.dev}:${stats.ino}`, logger }));
    }
    await file.close();
    return refused('it is not a regular file');
  } catch (error) {
    await file.close().catch(() => undefined);
    return refused(reasonOf(error, creates));
  }
};
