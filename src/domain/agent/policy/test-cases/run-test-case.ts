import type { CompiledPolicies } from '../evaluate/compile-policies.js';
import { determiningPolicies, evaluatedDecision, evaluateRequest, type RequestEvaluation } from './evaluate-request.js';
import type { PolicyTestCase, PolicyTests } from './policy-tests.js';

export interface TestCaseOutcome {
  readonly testCase: PolicyTestCase;
  readonly judgement: RequestEvaluation;
  readonly passed: boolean;
}

const asExpected = ({ expected }: PolicyTestCase, judgement: RequestEvaluation): boolean => {
  if (evaluatedDecision(judgement) !== expected.decision) return false;
  if (expected.policies === null) return true;
  const wanted = new Set(expected.policies.map(({ value }) => value));
  const actual = new Set(determiningPolicies(judgement));
  return wanted.size === actual.size && [...wanted].every((id) => actual.has(id));
};

/** Decides the request of a case and compares with the expectation. */
export const runTestCase = (
  testCase: PolicyTestCase,
  tests: PolicyTests,
  policies: CompiledPolicies,
): TestCaseOutcome => {
  const judgement = evaluateRequest(testCase.request, tests, policies);
  return { testCase, judgement, passed: asExpected(testCase, judgement) };
};
