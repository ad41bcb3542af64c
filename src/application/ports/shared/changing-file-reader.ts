import type { Result } from '../../../domain/shared/result.js';

/** The content of a file, and what distinguishes it from later versions. */
export interface FileVersion {
  readonly octets: Uint8Array;
  readonly revision: string;
}

/** Reads small files that others replace while the process runs. */
export interface ChangingFileReader {
  /**
   * The content; null if the file is still the version `known`. The error is one clause, as in
   * `cannot be read: it does not exist`.
   */
  read(path: string, known: string | null): Promise<Result<FileVersion | null, string>>;
}
