import type { PolicyTestRun } from '../../../application/agent/policy-tools/test-policies.js';
import type { TestCaseOutcome } from '../../../domain/agent/policy/test-cases/run-test-case.js';
import type { CommandOutput } from '../../command-line/command-output.js';
import { counted, printableText, problemsText } from '../../command-line/terminal-text.js';
import { namesText, policyErrorText, verdictText } from './explanation-text.js';

const expectedText = ({ testCase: { expected } }: TestCaseOutcome): string => {
  if (expected.policies === null) return expected.decision;
  if (expected.policies.length === 0) return `${expected.decision}, and no policy decides`;
  return `${expected.decision} by ${namesText(expected.policies.map(({ value }) => value))}`;
};

const placeText = ({ testCase: { position } }: TestCaseOutcome): string =>
  position === null ? '' : ` (${position.file}:${position.line}:${position.column})`;

const failureText = (outcome: TestCaseOutcome): string => {
  const { judgement: evaluation } = outcome;
  const errors = evaluation.kind === 'evaluated' ? evaluation.verdict.errors : [];
  return [
    `FAILED  ${outcome.testCase.name}${placeText(outcome)}`,
    `        expected: ${expectedText(outcome)}`,
    `        actual:   ${verdictText(evaluation)}`,
    ...errors.slice(0, 5).map((error) => `        error in ${policyErrorText(error)}`),
    ...(errors.length > 5 ? [`        and ${errors.length - 5} more errors`] : []),
  ]
    .map((line) => `  ${printableText(line)}\n`)
    .join('');
};

const caseText = (outcome: TestCaseOutcome, quiet: boolean): string => {
  if (!outcome.passed) return failureText(outcome);
  return quiet ? '' : `  ok      ${printableText(outcome.testCase.name)}\n`;
};

const fileText = ({ file, result }: PolicyTestRun, quiet: boolean): string => {
  if (result === null) return `${printableText(file)}\n  FAILED  it has errors: no case was run\n`;
  const cases = result.outcomes.map((outcome) => caseText(outcome, quiet)).join('');
  return cases === '' ? '' : `${printableText(file)}\n${cases}`;
};

/** The output of `policy test`. */
export const testReport = (runs: readonly PolicyTestRun[], quiet: boolean): CommandOutput => {
  const outcomes = runs.flatMap(({ result }) => result?.outcomes ?? []);
  const failed = outcomes.filter(({ passed }) => !passed).length;
  const broken = runs.filter(({ result }) => result === null).length;
  const totals = [
    `${counted(outcomes.length, 'case')}: ${outcomes.length - failed} ok`,
    ...(failed > 0 ? [`${failed} FAILED`] : []),
    ...(broken > 0 ? [`${counted(broken, 'file')} with errors`] : []),
  ];
  return {
    stdout: `${runs.map((run) => fileText(run, quiet)).join('')}${totals.join(', ')}\n`,
    stderr: runs.map(({ problems }) => problemsText(problems)).join(''),
    exitCode: failed + broken > 0 ? 1 : 0,
  };
};
