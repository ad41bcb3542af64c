import type { LoadedPolicies } from '../../../domain/agent/policy/policy-source/load-policies.js';
import type { PolicyTests } from '../../../domain/agent/policy/test-cases/policy-tests.js';
import { runTestCase, type TestCaseOutcome } from '../../../domain/agent/policy/test-cases/run-test-case.js';
import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';
import { didYouMean } from '../../../domain/configuration/schema/did-you-mean.js';
import type { LoadedPolicyTests, PolicyFiles, PolicyTestSource } from '../../ports/agent/policy-files.js';
import { loadPolicySet } from './policy-set.js';

export interface PolicyTestSources {
  readonly tests: PolicyTestSource;
  readonly files: PolicyFiles;
}

interface TestedPolicies {
  /** Null on an error. */
  readonly loaded: { readonly tests: PolicyTests; readonly policies: LoadedPolicies } | null;
  /** Problems of the test file and of the policies. */
  readonly problems: readonly ConfigurationProblem[];
}

/** Expected policies that do not exist: such a case could never pass. */
const unknownPolicies = (
  { cases }: PolicyTests,
  { policies }: LoadedPolicies,
  lineAt: LoadedPolicyTests['lineAt'],
): readonly ConfigurationProblem[] => {
  const known = new Set(policies.map(({ id }) => id));
  return cases.flatMap(({ name, expected }) =>
    (expected.policies ?? []).flatMap(({ value, position }): readonly ConfigurationProblem[] => {
      if (known.has(value)) return [];
      const message = `case "${name}" expects the policy "${value}", which does not exist`;
      const line = position === null ? null : lineAt(position);
      return [{ severity: 'error', message, position, line, suggestion: didYouMean(value, [...known]) }];
    }),
  );
};

/** Reads a policy test file and its policies. */
export const loadTestedPolicies = async (
  path: string,
  { tests, files }: PolicyTestSources,
): Promise<TestedPolicies> => {
  const read = await tests.load(path);
  if (read.tests === null) return { loaded: null, problems: read.problems };
  const paths = read.tests.policies.map(({ value }) => value);
  const { links, claims } = read.tests;
  const rolesPossible = claims.rolesClaim !== null;
  const rules = { strict: false, rolesPossible, defaultDecision: null, lenient: false } as const;
  const set = await loadPolicySet({ paths, inline: [], links, ...rules }, files);
  const problems = [...read.problems, ...set.problems];
  if (set.policies === null) return { loaded: null, problems };
  const unknown = unknownPolicies(read.tests, set.policies, read.lineAt);
  if (unknown.length > 0) return { loaded: null, problems: [...problems, ...unknown] };
  return { loaded: { tests: read.tests, policies: set.policies }, problems };
};

/** The results of one test file. */
export interface PolicyTestRun {
  readonly file: string;
  readonly problems: readonly ConfigurationProblem[];
  /** Null if the file or its policies have errors. */
  readonly result: { readonly outcomes: readonly TestCaseOutcome[]; readonly policies: LoadedPolicies } | null;
}

/** Runs the cases of a policy test file. */
export const testPolicies = async (file: string, parts: PolicyTestSources): Promise<PolicyTestRun> => {
  const { loaded, problems } = await loadTestedPolicies(file, parts);
  if (loaded === null) return { file, problems, result: null };
  const { tests, policies } = loaded;
  const outcomes = tests.cases.map((testCase) => runTestCase(testCase, tests, policies.compiled));
  return { file, problems, result: { outcomes, policies } };
};
