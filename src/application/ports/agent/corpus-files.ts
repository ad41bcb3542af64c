import type { Result } from '../../../domain/shared/result.js';

export interface CorpusListing {
  /** Every *.json in the folder and below, in no order. */
  readonly files: readonly string[];
  /** Links to folders, which are not followed, in no order. */
  readonly linkedFolders: readonly string[];
}

/** The files of a folder with test cases. Paths are relative to the folder, with `/`, and may begin with `../`. */
export interface CorpusFiles {
  /** The names of the folder and of those that it is in, outermost first. */
  readonly folderNames: readonly string[];

  /** The error is one clause. */
  list(): Promise<Result<CorpusListing, string>>;

  /** Whether there is a folder of that path. */
  hasFolder(path: string): Promise<boolean>;

  /** The whole text, which has to be UTF-8; null where there is no such file. The error is one clause. */
  read(path: string): Promise<Result<string | null, string>>;
}
