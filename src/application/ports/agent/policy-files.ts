import type { PolicyTests } from '../../../domain/agent/policy/test-cases/policy-tests.js';
import type { ConfigurationProblem, SourcePosition } from '../../../domain/configuration/configuration-problem.js';
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

/** What came of reading a policy test file. */
export interface LoadedPolicyTests {
  /** Null where there was any error. The paths in it are as the program can open them. */
  readonly tests: PolicyTests | null;
  /** Errors and warnings, in the order of the file. */
  readonly problems: readonly ConfigurationProblem[];
  /** A line of the file as it may be shown; null: none to show. */
  lineAt(position: SourcePosition): string | null;
}

/** Where policy tests come from. */
export interface PolicyTestSource {
  /** Reads and checks one file. Never rejects: what goes wrong is a problem in the result. */
  load(path: string): Promise<LoadedPolicyTests>;
}

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
