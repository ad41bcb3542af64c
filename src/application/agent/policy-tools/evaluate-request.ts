import type { Entities } from '../../../domain/agent/policy/evaluate/authorization-request.js';
import type { CompiledPolicies } from '../../../domain/agent/policy/evaluate/compile-policies.js';
import { decide } from '../../../domain/agent/policy/evaluate/decide.js';
import { type ExactJson, isExactObject, kindOfJson, memberOf } from '../../../domain/agent/policy/json/exact-json.js';
import { contextFromJson } from '../../../domain/agent/policy/json/record-from-json.js';
import { uidFromJson } from '../../../domain/agent/policy/json/uid-from-json.js';
import { type ExpectedValue, expectedOf } from '../../../domain/agent/policy/schema/expected-value.js';
import type { Schema } from '../../../domain/agent/policy/schema/schema.js';
import { entityKey } from '../../../domain/agent/policy/values/entity-uid.js';
import type { EntityUid } from '../../../domain/agent/policy/values/value.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** What a request of a case came to: ids of policies, sorted by code unit. */
export interface CorpusDecision {
  readonly decision: 'allow' | 'deny';
  readonly reason: readonly string[];
  readonly errors: readonly string[];
}

/** What all requests of a case have in common. */
export interface LoadedCase {
  readonly policies: CompiledPolicies;
  readonly entities: Entities;
  readonly schema: Schema | null;
  /** What has to be said of the case although it can be evaluated. */
  readonly remarks: readonly string[];
}

/** What the schema says of the context of an action. */
const expectedContext = (action: EntityUid, schema: Schema | null): ExpectedValue | null => {
  const type = schema?.actions.get(entityKey(action))?.context ?? null;
  return schema === null || type === null ? null : expectedOf(schema, type);
};

/** Evaluates one request of a case, of which it reads principal, action, resource and context and nothing else. */
export const evaluateRequest = (
  json: ExactJson,
  { policies, entities, schema }: LoadedCase,
): Result<CorpusDecision, string> => {
  if (!isExactObject(json)) return err(`a request is an object, not ${kindOfJson(json)}`);
  const principal = uidFromJson(memberOf(json, 'principal'));
  if (!principal.ok) return err(`principal: ${principal.error}`);
  const action = uidFromJson(memberOf(json, 'action'));
  if (!action.ok) return err(`action: ${action.error}`);
  const resource = uidFromJson(memberOf(json, 'resource'));
  if (!resource.ok) return err(`resource: ${resource.error}`);
  const context = contextFromJson(memberOf(json, 'context'), expectedContext(action.value, schema));
  if (!context.ok) return context;
  const { decision, reasons, errors } = decide(policies, {
    principal: principal.value,
    action: action.value,
    resource: resource.value,
    context: context.value,
    entities,
  });
  return ok({ decision, reason: reasons.toSorted(), errors: errors.map(({ policyId }) => policyId).toSorted() });
};
