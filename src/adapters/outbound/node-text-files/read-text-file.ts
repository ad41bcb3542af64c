import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { derHint } from './der-hint.js';

/** Why the file system refuses, in one clause. */
export const explainFileError = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'cannot be read: it does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: permission denied';
  if (code === 'EISDIR') return 'cannot be read: it is a directory';
  return `cannot be read${typeof code === 'string' ? `: ${code}` : ''}`;
};

const textOf = (octets: Uint8Array): Result<string, string> => {
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(octets));
  } catch {
    return err(derHint(octets) ?? 'is not UTF-8 text');
  }
};

/** The text of a regular file that has no more octets than the maximum; the error is one clause. */
export const readTextFile = async (path: string, maximumOctets: number): Promise<Result<string, string>> => {
  try {
    // Non-blocking, so that a FIFO without a writer cannot hold the start for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const facts = await file.stat();
      if (facts.isDirectory()) return err('cannot be read: it is a directory');
      if (!facts.isFile()) return err('cannot be read: it is no regular file');
      if (facts.size > maximumOctets) return err(`is larger than ${maximumOctets} bytes`);
      return textOf(await file.readFile());
    } finally {
      await file.close();
    }
  } catch (error) {
    return err(explainFileError(error));
  }
};
