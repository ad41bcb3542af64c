import type { BigIntStats } from 'node:fs';
import type { ChangingFileReader, FileVersion } from '../../../application/ports/shared/changing-file-reader.js';
import { ok, type Result } from '../../../domain/shared/result.js';
import { readRegularFile } from './read-text-file.js';

/** Maximum octets of a file. */
const maxOctets = 8 * 1024 * 1024;

/** The change time differs after every write, even if a program restores the modification time. */
const revisionOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(' ');

/** Recognises versions of regular files by inode, size and times. */
export class NodeChangingFileReader implements ChangingFileReader {
  async read(path: string, known: string | null): Promise<Result<FileVersion | null, string>> {
    // The times are read before the content: a write in between is found at the next read.
    const read = await readRegularFile(path, maxOctets, (stats) => {
      const revision = revisionOf(stats);
      return revision === known ? null : revision;
    });
    if (!read.ok || read.value === null) return read.ok ? ok(null) : read;
    const { octets, accepted } = read.value;
    return ok({ octets, revision: accepted });
  }
}
