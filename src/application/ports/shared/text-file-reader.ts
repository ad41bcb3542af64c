import type { Result } from '../../../domain/shared/result.js';

/** Reads small text files that a configuration names: keys, lists. */
export interface TextFileReader {
  /**
   * The whole text, in UTF-8. The error is one clause, as in `cannot be read: it does not exist`.
   */
  read(path: string): Promise<Result<string, string>>;
}
