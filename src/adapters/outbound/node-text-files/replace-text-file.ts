import { randomBytes } from 'node:crypto';
import { chmod, chown, link, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** Whether to keep or replace an existing file. */
export type ExistingFile = 'keep' | 'replace';

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it already exists',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is not a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EISDIR: 'it is a directory',
};

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (code === '' ? 'unknown error' : `error ${code}`);
};

/** Resolves symbolic links: the link stays and its target is written. */
const target = (path: string): Promise<string> => realpath(path).catch(() => path);

/**
 * Copies mode and, if permitted, owner from another file. The mode is set last, so the draft stays
 * private.
 */
const copyOwnership = async (draft: string, like: string): Promise<void> => {
  const { mode, uid, gid } = await stat(like);
  await chown(draft, uid, gid).catch(() => undefined);
  await chmod(draft, mode & 0o7777);
};

/** Creates a file that only its owner may read. */
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
 * Writes a file atomically: readers see the old or the new text. Never rejects.
 *
 * @param like existing file whose mode and, if permitted, owner the new file gets
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
      await copyOwnership(draft, like);
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

/** Maximum number of copies of a file. */
const maxCopies = 100;

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST';

/** Links a draft atomically to the first free name. Never replaces an existing file or link. */
const linkToFree = async (draft: string, name: string): Promise<string> => {
  for (let count = 0; ; count += 1) {
    const path = count === 0 ? name : `${name}.${count}`;
    try {
      await link(draft, path);
      return path;
    } catch (error) {
      if (!isTaken(error) || count === maxCopies) throw error;
    }
  }
};

/**
 * Copies a file and its mode to `FILE.bak`, or `FILE.bak.1` and so on if the name is taken.
 * Replaces nothing. Resolves with the path of the complete copy. Never rejects.
 */
export const keepCopy = async (path: string): Promise<Result<string, string>> => {
  const name = `${path}.bak`;
  try {
    const draft = join(dirname(name), `.${basename(name)}.${randomBytes(6).toString('hex')}`);
    try {
      await writeDraft(draft, await readFile(path));
      await copyOwnership(draft, path);
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

/** Whether a file is world-readable. */
export const isReadableByOthers = async (path: string): Promise<boolean> => {
  const status = await stat(path).catch(() => null);
  return status !== null && (status.mode & 0o004) !== 0;
};
