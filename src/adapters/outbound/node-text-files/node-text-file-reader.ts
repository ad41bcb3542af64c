import type { TextFileReader } from '../../../application/ports/shared/text-file-reader.js';
import type { Result } from '../../../domain/shared/result.js';
import { readTextFile } from './read-text-file.js';

/** Maximum octets of a file. */
export const maxTextFileOctets = 8 * 1024 * 1024;

/** Reads regular files of bounded size. */
export class NodeTextFileReader implements TextFileReader {
  read(path: string): Promise<Result<string, string>> {
    return readTextFile(path, maxTextFileOctets);
  }
}
