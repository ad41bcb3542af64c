import { randomBytes } from 'node:crypto';
import { chmod, chown, link, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** What may become of a file that is there. */
export type ExistingFile = 'keep' | 'replace';

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is there already',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is no directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'there is no space left',
  EISDIR: 'it is a directory',
};

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (code === '' ? 'it cannot be written' : `it cannot be written (${code})`);
};

/** Where a path leads: a symbolic link stays one, and what it points at is written. */
const target = (path: string): Promise<string> => realpath(path).catch(() => path);

/** Has a file the owner that another had, where that is allowed; nobody else may read it meanwhile. */
const takeOver = async (made: string, like: string): Promise<void> => {
  const { mode, uid, gid } = await stat(like);
  await chown(made, uid, gid).catch(() => undefined);
  await chmod(made, mode & 0o7777);
};

/** Makes a file that nobody else may read. */
const writeDraft = async (draft: string, content: string | Uint8Array): Promise<void> => {
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
};

/**
 * Writes a file in one step: who reads it finds the old text or the new one, whole. Never rejects.
 *
 * @param like the file whose mode and, where that is allowed, owner the new one gets; it has to be there
 */
export const replaceTextFile = async (
  path: string,
  text: string,
  existing: ExistingFile,
  like: string,
): Promise<Result<null, string>> => {
  try {
    const real = await target(path);
    const draft = join(dirname(real), `.${basename(real)}.${randomBytes(6).toString('hex')}`);
    try {
      await writeDraft(draft, text);
      await takeOver(draft, like);
      if (existing === 'replace') await rename(draft, real);
      else await link(draft, real);
    } finally {
      await unlink(draft).catch(() => undefined);
    }
    return ok(null);
  } catch (error) {
    return err(`${path} cannot be written: ${reasonOf(error)}`);
  }
};

/** Copies of one file, at most. */
const maximumCopies = 100;

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST';

/** Gives a draft the first name that is free, in one step; what bears a name, a symbolic link too, stays as it is. */
const linkToFree = async (draft: string, name: string): Promise<string> => {
  for (let count = 0; ; count += 1) {
    const path = count === 0 ? name : `${name}.${count}`;
    try {
      await link(draft, path);
      return path;
    } catch (error) {
      if (!isTaken(error) || count === maximumCopies) throw error;
    }
  }
};

/**
 * Keeps a copy of a file, with its mode, as `FILE.bak`, or `FILE.bak.1` and so on where there are others: none is
 * replaced. Gives the path of the copy, which is there whole or not at all. Never rejects.
 */
export const keepCopy = async (path: string): Promise<Result<string, string>> => {
  const name = `${path}.bak`;
  try {
    const draft = join(dirname(name), `.${basename(name)}.${randomBytes(6).toString('hex')}`);
    try {
      await writeDraft(draft, await readFile(path));
      await takeOver(draft, path);
      return ok(await linkToFree(draft, name));
    } finally {
      await unlink(draft).catch(() => undefined);
    }
  } catch (error) {
    return err(`${name} cannot be written: ${reasonOf(error)}`);
  }
};

/** Whether two paths lead to the same file. */
export const isSameFile = async (left: string, right: string): Promise<boolean> => {
  const [one, other] = await Promise.all([left, right].map((path) => stat(path).catch(() => null)));
  return one != null && other != null && one.dev === other.dev && one.ino === other.ino;
};

/** Whether every user of the machine may read a file. */
export const isReadableByOthers = async (path: string): Promise<boolean> => {
  const status = await stat(path).catch(() => null);
  return status !== null && (status.mode & 0o004) !== 0;
};
