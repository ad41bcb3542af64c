import type { PolicyTests } from '../../../domain/agent/policy/test-cases/policy-tests.js';
import type { ConfigurationProblem, SourcePosition } from '../../../domain/configuration/configuration-problem.js';

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
