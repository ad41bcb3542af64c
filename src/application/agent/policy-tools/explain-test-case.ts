import type { ConfigurationProblem } from '../../../domain/configuration/configuration-problem.js';
import { didYouMean } from '../../../domain/configuration/schema/did-you-mean.js';
import { type ExplainedDecision, explained } from './explained-decision.js';
import { loadTestedPolicies, type PolicyTestParts } from './load-tested-policies.js';

const failure = (
  message: string,
  suggestion: string | null,
  problems: readonly ConfigurationProblem[],
): ExplainedDecision => ({
  explanation: null,
  problems: [...problems, { severity: 'error', message, position: null, line: null, suggestion }],
});

/** Explains a case of a policy test file; `caseName` null means the only one. */
export const explainTestCase = async (
  file: string,
  caseName: string | null,
  parts: PolicyTestParts,
): Promise<ExplainedDecision> => {
  const { loaded, problems } = await loadTestedPolicies(file, parts);
  if (loaded === null) return { explanation: null, problems };
  const { tests, policies } = loaded;
  const names = tests.cases.map(({ name }) => name);
  const found =
    caseName === null && names.length === 1 ? tests.cases[0] : tests.cases.find(({ name }) => name === caseName);
  if (found !== undefined) return explained(found.request, tests, policies, problems);
  if (caseName !== null) return failure(`there is no case "${caseName}"`, didYouMean(caseName, names), problems);
  return failure('there are several cases: choose one with --case', `the first is "${names[0]}"`, problems);
};
