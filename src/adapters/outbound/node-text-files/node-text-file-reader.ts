import type { TextFileReader } from '../../../application/ports/shared/text-file-reader.js';
import type { Result } from '../../../domain/shared/result.js';
import { readTextFile } from './read-text-file.js';

/** Octets of a key or list file, at most. */
export const maximumTextFileOctets = 8 * 1024 * 1024;

/** Reads files from the file system: regular ones only, and no more than the maximum of each. */
export class NodeTextFileReader implements TextFileReader {
  read(path: string): Promise<Result<string, string>> {
    return readTextFile(path, maximumTextFileOctets);
  }
}
