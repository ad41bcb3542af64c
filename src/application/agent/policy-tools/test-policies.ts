import type { LoadedPolicies } from '../../../domain/agent/policy/policy-source/load-policies.js';
import { runTestCase, type TestCaseOutcome } from '../../../domain/agent/policy/test-cases/run-test-case.js';
import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';
import { loadTestedPolicies, type PolicyTestParts } from './load-tested-policies.js';

/** What came of the cases of one file. */
export interface PolicyTestRun {
  readonly file: string;
  readonly problems: readonly ConfigurationProblem[];
  /** Null where the file, or its policies, had errors. */
  readonly result: { readonly outcomes: readonly TestCaseOutcome[]; readonly policies: LoadedPolicies } | null;
}

/** Runs the cases of a policy test file. */
export const testPolicies = async (file: string, parts: PolicyTestParts): Promise<PolicyTestRun> => {
  const { loaded, problems } = await loadTestedPolicies(file, parts);
  if (loaded === null) return { file, problems, result: null };
  const { tests, policies } = loaded;
  const outcomes = tests.cases.map((testCase) => runTestCase(testCase, tests, policies.compiled));
  return { file, problems, result: { outcomes, policies } };
};
