import type { ConfigurationProblem } from '../../../configuration/configuration-problem.js';
import { didYouMean } from '../../../configuration/schema/did-you-mean.js';
import { err, ok, type Result } from '../../../shared/result.js';
import { linkTemplate } from '../link-template.js';
import { parseEntityUid } from '../parse/parse-entity-uid.js';
import { quotedName } from '../shortened-text.js';
import type { Policy } from '../syntax-tree.js';
import type { EntityUid } from '../values/value.js';
import { type PlacedPolicy, type PolicyNames, unfitId } from './policy-names.js';
import type { PolicyLink } from './policy-source.js';

const entityOf = (text: string | null, role: string): Result<EntityUid | null, string> => {
  if (text === null) return ok(null);
  const uid = parseEntityUid(text);
  return uid.ok ? uid : err(`the ${role} is no entity: ${uid.error}`);
};

const linked = (link: PolicyLink, template: Policy): Result<Policy, string> => {
  const principal = entityOf(link.principal, 'principal');
  if (!principal.ok) return principal;
  const resource = entityOf(link.resource, 'resource');
  if (!resource.ok) return resource;
  return linkTemplate(template, link.id, {
    ...(principal.value === null ? {} : { principal: principal.value }),
    ...(resource.value === null ? {} : { resource: resource.value }),
  });
};

export interface LinkedPolicies {
  readonly policies: readonly PlacedPolicy[];
  readonly problems: readonly ConfigurationProblem[];
}

/** Makes policies of templates. */
export const linkPolicies = (
  links: readonly PolicyLink[],
  placed: readonly PlacedPolicy[],
  names: PolicyNames,
): LinkedPolicies => {
  const byId = new Map(placed.map((one) => [one.policy.id, one]));
  const templateIds = placed.filter(({ policy }) => policy.slots.length > 0).map(({ policy }) => policy.id);
  const policies: PlacedPolicy[] = [];
  const problems: ConfigurationProblem[] = [];
  for (const link of links) {
    const { position, line } = link;
    const refuse = (message: string, suggestion: string | null) =>
      problems.push({
        severity: 'error',
        message: `template-link ${quotedName(link.id)}: ${message}`,
        position,
        line,
        suggestion,
      });
    const template = byId.get(link.template);
    const unfit = unfitId(link.id);
    if (unfit !== null) {
      refuse(unfit, null);
      continue;
    }
    const taken = names.take(link.id, null);
    if (taken !== null) {
      refuse(`the policy id is already taken ${taken}`, null);
    } else if (template === undefined) {
      refuse(`there is no template ${quotedName(link.template)}`, didYouMean(link.template, templateIds));
    } else if (template.policy.slots.length === 0) {
      refuse(`${quotedName(link.template)} is no template`, 'a template has ?principal or ?resource in its scope');
    } else {
      const policy = linked(link, template.policy);
      if (policy.ok) policies.push({ policy: policy.value, text: template.text });
      else refuse(policy.error, null);
    }
  }
  return { policies, problems };
};
