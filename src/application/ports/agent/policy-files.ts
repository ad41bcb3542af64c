import type { PolicyTests } from '../../../domain/agent/policy/test-cases/policy-tests.js';
import type { ConfigurationProblem, SourcePosition } from '../../../domain/configuration/configuration-problem.js';
import type { Result } from '../../../domain/shared/result.js';

export interface CorpusListing {
  /** Every *.json in the folder and its subfolders, unsorted. */
  readonly files: readonly string[];
  /** Links to folders, unsorted. They are not followed. */
  readonly linkedFolders: readonly string[];
}

/**
 * The files of a folder of test cases. Paths are relative to the folder, use `/`, and may begin
 * with `../`.
 */
export interface CorpusFiles {
  /** The names of the folder and its ancestors, outermost first. */
  readonly folderNames: readonly string[];

  /** The error is one clause. */
  list(): Promise<Result<CorpusListing, string>>;

  /** Whether the path is a folder. */
  hasFolder(path: string): Promise<boolean>;

  /** The whole text, in UTF-8; null if there is no such file. The error is one clause. */
  read(path: string): Promise<Result<string | null, string>>;
}

/** The result of reading a policy test file. */
export interface LoadedPolicyTests {
  /** Null if there was an error. Its paths can be opened from the working directory. */
  readonly tests: PolicyTests | null;
  /** Errors and warnings, in the order of the file. */
  readonly problems: readonly ConfigurationProblem[];
  /** A line of the file, fit to be shown; null if there is none. */
  lineAt(position: SourcePosition): string | null;
}

/** Loads policy tests. */
export interface PolicyTestSource {
  /** Reads and checks one file. Never rejects: failures are problems in the result. */
  load(path: string): Promise<LoadedPolicyTests>;
}

/** A file of policies. */
export interface PolicyFile {
  readonly name: string;
  readonly text: string;
}

/** Why a file or folder cannot be read. */
export interface PolicyFileFailure {
  readonly name: string;
  /** One clause, as in `cannot be read: it does not exist`. */
  readonly reason: string;
}

/** Reads files of policies. */
export interface PolicyFiles {
  /**
   * Reads a file, or the `.cedar` files of a folder in the order of their names. Skips subfolders
   * and names that begin with a dot. A folder without a policy file is a failure. Reports all
   * failures.
   */
  read(path: string): Promise<Result<readonly PolicyFile[], readonly PolicyFileFailure[]>>;
}
