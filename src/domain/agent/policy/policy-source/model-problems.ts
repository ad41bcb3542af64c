import type { ConfigurationProblem } from '../../../configuration/configuration-problem.js';
import { boundedProblems, inFileOrder } from '../../../configuration/schema/problem-report.js';
import { quoteName } from '../abbreviate-text.js';
import { checkAgainstModel } from '../gateway-model/check-against-model.js';
import { findUnusableRoles, type RoleRules } from '../gateway-model/find-unusable-roles.js';
import type { ModelFinding } from '../gateway-model/model-finding.js';
import type { Policy } from '../syntax-tree.js';
import type { LoadedPolicies } from './load-policies.js';
import { PolicyText } from './policy-text.js';

/** The rules for checking policies against the gateway model. */
export interface ModelRules extends RoleRules {
  /** Findings are errors instead of warnings, except for unlinked templates. */
  readonly strict: boolean;
}

/** The findings of each policy on its own. */
const findings = (policies: readonly Policy[], rules: RoleRules): readonly ModelFinding[] => [
  ...checkAgainstModel(policies),
  ...findUnusableRoles(policies, rules),
];

const findingKey = ({ span, message }: ModelFinding): string => `${span.start} ${span.end} ${message}`;

/** The findings that a linked policy has in addition to its template: the link causes them. */
const linkProblems = (
  policies: LoadedPolicies,
  ofTemplates: readonly ModelFinding[],
  severity: ConfigurationProblem['severity'],
  rules: RoleRules,
): readonly ConfigurationProblem[] => {
  const reported = new Map<string, Set<string>>();
  for (const finding of ofTemplates) {
    const keys = reported.get(finding.policyId) ?? new Set();
    reported.set(finding.policyId, keys.add(findingKey(finding)));
  }
  const problems: ConfigurationProblem[] = [];
  const linked = policies.policies.filter(({ id }) => policies.linkOf(id) !== undefined);
  for (const finding of findings(linked, rules)) {
    const link = policies.linkOf(finding.policyId);
    if (link === undefined || reported.get(link.template)?.has(findingKey(finding)) === true) continue;
    const { message, suggestion } = finding;
    const { id, position, line } = link;
    problems.push({ severity, message: `template-link ${quoteName(id)}: ${message}`, position, line, suggestion });
  }
  return problems;
};

/**
 * Suspicious parts of valid policies: names that the gateway does not have, roles that no principal can have, and
 * sources without a policy (errors if `strict`). A template without a link is always a warning, because the links may
 * be in another configuration.
 */
export const modelProblems = (policies: LoadedPolicies, rules: ModelRules): readonly ConfigurationProblem[] => {
  const severity = rules.strict ? 'error' : 'warning';
  const ofTemplates = findings(policies.templates, rules);
  const written = policies.policies.filter(({ id }) => policies.linkOf(id) === undefined);
  const problems = [...findings(written, rules), ...ofTemplates].map(({ policyId, span, message, suggestion }) =>
    policies.problemAt(policyId, span, { severity, message, suggestion }),
  );
  for (const source of policies.emptySources) {
    const remark = { severity, message: 'it contains no policy', suggestion: null } as const;
    problems.push(new PolicyText(source).problemAt({ start: 0, end: 0 }, remark));
  }
  for (const { id, span } of policies.unlinkedTemplates) {
    const message = `the template ${quoteName(id)} never applies: no template-link makes a policy of it`;
    problems.push(policies.problemAt(id, span, { severity: 'warning', message, suggestion: null }));
  }
  return boundedProblems(inFileOrder([...problems, ...linkProblems(policies, ofTemplates, severity, rules)]));
};
