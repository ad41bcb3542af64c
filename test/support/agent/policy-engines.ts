import * as cedar from '@cedar-policy/cedar-wasm/nodejs';
import { compilePolicies } from '../../../src/domain/agent/policy/evaluate/compile-policies.js';
import { decide } from '../../../src/domain/agent/policy/evaluate/decide.js';
import { entitiesFromJson } from '../../../src/domain/agent/policy/json/entities-from-json.js';
import { contextFromJson } from '../../../src/domain/agent/policy/json/record-from-json.js';
import { uidFromJson } from '../../../src/domain/agent/policy/json/uid-from-json.js';
import { linkTemplate } from '../../../src/domain/agent/policy/link-template.js';
import { parsePolicies } from '../../../src/domain/agent/policy/parse/parse-policies.js';
import type { Policy } from '../../../src/domain/agent/policy/syntax-tree.js';
import type { EntityUid } from '../../../src/domain/agent/policy/values/value.js';
import type { Result } from '../../../src/domain/shared/result.js';
import type { PolicyText, PolicyWorld, RequestJson, UidJson } from './policy-worlds.js';

/** What an engine makes of a request: ids sorted. */
export interface Verdict {
  readonly decision: 'allow' | 'deny';
  readonly reason: readonly string[];
  readonly errors: readonly string[];
}

/** Null: the engine refuses the policies. */
export type Verdicts = readonly Verdict[] | null;

const idOf = (index: number): string => `p${index}`;

const demand = <T>(result: Result<T, unknown>): T => {
  if (!result.ok) throw new Error(`the engine refuses what it was given: ${JSON.stringify(result.error)}`);
  return result.value;
};

const readUid = (json: UidJson): EntityUid => demand(uidFromJson({ ...json }));

const ownPolicy = ({ text, link }: PolicyText, index: number): Policy | null => {
  const parsed = parsePolicies(text, 'cedar');
  const policy = parsed.ok ? parsed.value[0] : undefined;
  if (policy === undefined) return null;
  if (link === null) return { ...policy, id: idOf(index) };
  const { principal, resource } = link;
  return demand(
    linkTemplate(policy, idOf(index), {
      ...(principal === undefined ? {} : { principal: readUid(principal) }),
      ...(resource === undefined ? {} : { resource: readUid(resource) }),
    }),
  );
};

/** What this engine makes of every request of a world. */
export const ownVerdicts = ({ policies, entities: json, requests }: PolicyWorld): Verdicts => {
  const own = policies.map(ownPolicy).filter((policy) => policy !== null);
  if (own.length < policies.length) return null;
  const compiled = compilePolicies(own, 'cedar');
  const entities = demand(entitiesFromJson(JSON.parse(JSON.stringify(json))));
  return requests.map(({ principal, action, resource, context }) => {
    const { decision, reasons, errors } = decide(compiled, {
      principal: readUid(principal),
      action: readUid(action),
      resource: readUid(resource),
      context: demand(contextFromJson({ ...context })),
      entities,
    });
    return { decision, reason: reasons.toSorted(), errors: errors.map(({ policyId }) => policyId).toSorted() };
  });
};

/** Of templates and their links, by the names that Cedar's interface has for them. */
const cedarPolicies = (policies: readonly PolicyText[]): cedar.PolicySet => {
  const staticPolicies: Record<string, string> = {};
  const templates: Record<string, string> = {};
  const templateLinks: cedar.TemplateLink[] = [];
  for (const [index, { text, link }] of policies.entries()) {
    if (link === null) staticPolicies[idOf(index)] = text;
    else {
      const templateId = `template${index}`;
      templates[templateId] = text;
      const values = Object.fromEntries(Object.entries(link).map(([slot, uid]) => [`?${slot}`, uid]));
      templateLinks.push({ templateId, newId: idOf(index), values });
    }
  }
  return { staticPolicies, templates, templateLinks };
};

const preparedName = 'differential';

const cedarVerdict = (request: RequestJson, entities: cedar.Entities): Verdict => {
  const answer = cedar.statefulIsAuthorized({ ...request, entities, preparsedPolicySetId: preparedName } as never);
  if (answer.type !== 'success') throw new Error(`Cedar refuses the data: ${JSON.stringify(answer.errors)}`);
  const { decision, diagnostics } = answer.response;
  return {
    decision,
    reason: diagnostics.reason.toSorted(),
    errors: diagnostics.errors.map(({ policyId }) => policyId).toSorted(),
  };
};

/** What Cedar's own engine makes of them. */
export const cedarVerdicts = ({ policies, entities, requests }: PolicyWorld): Verdicts => {
  if (cedar.preparsePolicySet(preparedName, cedarPolicies(policies)).type !== 'success') return null;
  return requests.map((request) => cedarVerdict(request, entities as never));
};
