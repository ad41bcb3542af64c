import { isError } from '../../../domain/agent/policy/evaluate/evaluation-error.js';
import type { DecisionExplanation } from '../../../domain/agent/policy/explain/explain-decision.js';
import type {
  ConditionFinding,
  PolicyExplanation,
  PolicyResult,
} from '../../../domain/agent/policy/explain/explain-policy.js';
import type { Finding } from '../../../domain/agent/policy/explain/finding.js';
import { formatValue } from '../../../domain/agent/policy/explain/format-value.js';
import { formatEntityUid } from '../../../domain/agent/policy/values/entity-uid.js';
import type { JsonObject, JsonValue } from '../../../domain/shared/json.js';
import type { PolicySourcesText } from './policy-sources-text.js';

const findingJson = (finding: Finding, policyId: string, sources: PolicySourcesText): JsonObject => {
  const { outcome, span, shown, because } = finding;
  const piece = sources.piece(policyId, span);
  const result: JsonObject = isError(outcome)
    ? { error: { code: outcome.code, message: outcome.message } }
    : { value: formatValue(outcome) };
  return {
    ...(piece !== null && { line: piece.line, column: piece.column, source: piece.text }),
    ...result,
    shown,
    because: because.map((part) => findingJson(part, policyId, sources)),
  };
};

const conditionJson = (condition: ConditionFinding, policyId: string, sources: PolicySourcesText): JsonObject => ({
  kind: condition.kind,
  ...findingJson(condition.finding, policyId, sources),
});

const resultJson = (result: PolicyResult, policyId: string, sources: PolicySourcesText): JsonObject => {
  switch (result.kind) {
    case 'satisfied':
      return {
        outcome: 'satisfied',
        conditions: result.conditions.map((condition) => conditionJson(condition, policyId, sources)),
      };
    case 'out-of-scope':
      return { outcome: 'out_of_scope', part: result.part, scope: findingJson(result.finding, policyId, sources) };
    case 'unfulfilled':
      return { outcome: 'unfulfilled', ...failingJson(result.condition, policyId, sources) };
    case 'error': {
      const { code, message } = result.error;
      return { outcome: 'error', error: { code, message }, ...failingJson(result.condition, policyId, sources) };
    }
  }
};

const failingJson = (condition: ConditionFinding | null, policyId: string, sources: PolicySourcesText): JsonObject => ({
  condition: condition === null ? null : conditionJson(condition, policyId, sources),
});

const policyJson = ({ policy, result }: PolicyExplanation, sources: PolicySourcesText): JsonObject => {
  const piece = sources.piece(policy.id, policy.span);
  return {
    policy: policy.id,
    effect: policy.effect,
    ...(piece !== null && { file: piece.file, line: piece.line, column: piece.column }),
    ...resultJson(result, policy.id, sources),
  };
};

/** An explanation for programs: one JSON value. Values of policies are Cedar text. */
export const explanationJson = (
  { evaluation, policies }: DecisionExplanation,
  sources: PolicySourcesText,
): JsonValue => {
  if (evaluation.kind === 'refused') {
    return { decision: 'deny', because: evaluation.reason, policies: [], errors: [], explanations: [] };
  }
  const { request, verdict } = evaluation;
  return {
    decision: verdict.decision,
    because: verdict.because,
    policies: verdict.policies,
    errors: verdict.errors.map(({ policyId, error }) => ({
      policy: policyId,
      code: error.code,
      message: error.message,
    })),
    request: {
      principal: formatEntityUid(request.principal),
      action: formatEntityUid(request.action),
      resource: formatEntityUid(request.resource),
      context: formatValue(request.context),
    },
    explanations: policies.map((policy) => policyJson(policy, sources)),
  };
};
