import type { Result } from '../../domain/shared/result.js';

/** The files of a folder with test cases. Paths are relative to the folder, with `/`, and may begin with `../`. */
export interface CorpusFiles {
  /** Every *.json in the folder and below, in no order. The error is one clause. */
  list(): Promise<Result<readonly string[], string>>;

  /** The whole text, which has to be UTF-8; null where there is no such file. The error is one clause. */
  read(path: string): Promise<Result<string | null, string>>;
}
