import type { Result } from '../../../domain/shared/result.js';

/** A file of policies. */
export interface PolicyFile {
  /** Its path. */
  readonly name: string;
  readonly text: string;
}

/** Why a file, or a folder, cannot be read. */
export interface PolicyFileFailure {
  readonly name: string;
  /** One clause, as in `cannot be read: it does not exist`. */
  readonly reason: string;
}

/** Reads files of policies. */
export interface PolicyFiles {
  /**
   * The one file that the path names; or, where it names a folder, every file in it whose name ends in `.cedar` and does
   * not begin with a dot, in the order of their names, at least one. Folders in a folder are not looked into. The failures
   * are all that were found.
   */
  read(path: string): Promise<Result<readonly PolicyFile[], readonly PolicyFileFailure[]>>;
}
