import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { AuditLog } from '../../../application/ports/gateway/audit-log.js';
import type { Logger } from '../../../application/ports/shared/logger.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { AuditFile, fileWriter } from './audit-file.js';

/** A pipe that nobody reads must not hold up the start. */
const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/** Nobody else has a business with who came when. */
const ownersOnly = 0o600;

const advice: Readonly<Record<string, string>> = {
  ENOENT: 'its directory is not there',
  EACCES: 'this user may not write there',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a directory',
  ENXIO: 'it is a pipe, and not a file',
};

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return advice[code] ?? code;
};

/** Opens a file for the audit log, and makes it where it is missing. The error is one clause. */
export const openAuditFile = async (path: string, logger: Logger): Promise<Result<AuditLog, string>> => {
  const refused = (reason: string) => err(`the audit log ${path} cannot be opened: ${reason}`);
  let file: FileHandle;
  try {
    file = await open(path, appending, ownersOnly);
  } catch (error) {
    return refused(reasonOf(error));
  }
  try {
    const stats = await file.stat();
    if (stats.isFile()) {
      return ok(new AuditFile(fileWriter(file), { path, identity: `${stats.dev}:${stats.ino}`, logger }));
    }
    await file.close();
    return refused('it is no file');
  } catch (error) {
    await file.close().catch(() => undefined);
    return refused(reasonOf(error));
  }
};
