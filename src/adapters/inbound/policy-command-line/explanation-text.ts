import type { PolicyError } from '../../../domain/agent/policy/evaluate/decision.js';
import { isError } from '../../../domain/agent/policy/evaluate/evaluation-error.js';
import type { DecisionExplanation } from '../../../domain/agent/policy/explain/explain-decision.js';
import type {
  ConditionFinding,
  PolicyExplanation,
  PolicyResult,
} from '../../../domain/agent/policy/explain/explain-policy.js';
import type { Finding } from '../../../domain/agent/policy/explain/finding.js';
import { formatValue } from '../../../domain/agent/policy/explain/format-value.js';
import type { RequestEvaluation } from '../../../domain/agent/policy/test-cases/evaluate-request.js';
import { formatEntityUid } from '../../../domain/agent/policy/values/entity-uid.js';
import { printableText } from '../../command-line/terminal-text.js';
import type { PolicySourcesText } from './policy-sources-text.js';

/** The most characters of a source on one line. */
const longestSource = 120;
/** The most parts of one condition side by side. */
const mostParts = 20;

/** A piece of a source on one line, cut where it is long. */
const onOneLine = (text: string, longest: number): string => {
  const line = printableText(text.slice(0, longest * 4))
    .replace(/ {2,}/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= longest ? line : `${characters.slice(0, longest).join('')}...`;
};

/** The line of the policy names its error. */
const outcomeText = ({ outcome }: Finding): string => (isError(outcome) ? 'fails' : `is ${formatValue(outcome)}`);

interface Shown {
  readonly policyId: string;
  readonly sources: PolicySourcesText;
}

const findingLines = (finding: Finding, what: Shown, indent = '  ', word = ''): string[] => {
  const piece = what.sources.piece(what.policyId, finding.span);
  const place = piece === null ? '' : `${piece.line}:${piece.column}`.padEnd(7);
  const source = piece === null ? '' : onOneLine(piece.text, longestSource);
  const shown = finding.shown === null || finding.shown === source ? '' : `: ${finding.shown}`;
  const parts = finding.because.slice(0, mostParts);
  const untold = finding.because.length - parts.length;
  return [
    `${indent}${place} ${word}${source}  ${outcomeText(finding)}${shown}`,
    ...parts.flatMap((part) => findingLines(part, what, `${indent}  `)),
    ...(untold > 0 ? [`${indent}  and ${untold} more`] : []),
  ];
};

const conditionLines = ({ kind, isPart, finding }: ConditionFinding, what: Shown): string[] =>
  findingLines(finding, what, '  ', isPart ? `in ${kind}: ` : `${kind} `);

const resultText = (result: PolicyResult): string => {
  switch (result.kind) {
    case 'satisfied':
      return 'satisfied';
    case 'out-of-scope':
      return `does not apply: another ${result.part}`;
    case 'unfulfilled':
      return 'does not apply: a condition is not fulfilled';
    case 'error':
      return `error: ${result.error.code}: ${result.error.message}`;
  }
};

const resultLines = (result: PolicyResult, what: Shown): string[] => {
  switch (result.kind) {
    case 'satisfied':
      return result.conditions.flatMap((condition) => conditionLines(condition, what));
    case 'out-of-scope':
      return findingLines(result.finding, what);
    case 'unfulfilled':
    case 'error':
      return result.condition === null ? [] : conditionLines(result.condition, what);
  }
};

const policyLines = ({ policy, result }: PolicyExplanation, sources: PolicySourcesText): string[] => {
  const piece = sources.piece(policy.id, policy.span);
  const place = piece === null ? '' : `${piece.file}:${piece.line}:${piece.column}: `;
  return [
    `${place}${policy.effect} "${policy.id}": ${resultText(result)}`,
    ...resultLines(result, { policyId: policy.id, sources }),
  ];
};

/** The most policies that one line names. */
const mostNamed = 20;

const refusals: Readonly<Record<Extract<RequestEvaluation, { kind: 'refused' }>['reason'], string>> = {
  principal_missing: 'deny: principal_missing: the identity has no claim that names the principal',
  roles_unusable:
    'deny: roles_unusable: its roles are no list of texts, or are more, or longer, than policies can be asked about',
};

/** Ids of policies in quotes. */
export const namesText = (policies: readonly string[]): string => {
  const shown = policies.slice(0, mostNamed).map((id) => `"${id}"`);
  return [...shown, ...(policies.length > mostNamed ? [`and ${policies.length - mostNamed} more`] : [])].join(', ');
};

/** The decision and its cause, on one line. */
export const verdictText = (evaluation: RequestEvaluation): string => {
  if (evaluation.kind === 'refused') return refusals[evaluation.reason];
  const { decision, because, policies } = evaluation.verdict;
  switch (because) {
    case 'policies':
      return `${decision} by ${namesText(policies)}`;
    case 'default':
      return `${decision} by default: no policy decides`;
    case 'error':
      return `${decision} by ${namesText(policies)}, which cannot be evaluated`;
  }
};

/** The error of a policy, on one line. */
export const policyErrorText = ({ policyId, error }: PolicyError): string =>
  `"${policyId}": ${error.code}: ${error.message}`;

/** An explanation for people. */
export const explanationText = ({ evaluation, policies }: DecisionExplanation, sources: PolicySourcesText): string => {
  const lines: string[] = [];
  if (evaluation.kind === 'evaluated') {
    const { principal, action, resource } = evaluation.request;
    lines.push([principal, action, resource].map(formatEntityUid).join(' '));
  }
  lines.push(verdictText(evaluation));
  if (evaluation.kind === 'evaluated') {
    for (const error of evaluation.verdict.errors) lines.push(`error in ${policyErrorText(error)}`);
  }
  for (const policy of policies) lines.push('', ...policyLines(policy, sources));
  return lines.map((line) => `${printableText(line).trimEnd()}\n`).join('');
};
