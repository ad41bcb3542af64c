import type { ConfigurationProblem } from '../../../configuration/configuration-problem.js';
import { boundedProblems, inFileOrder } from '../../../configuration/schema/problem-report.js';
import { checkAgainstModel } from '../gateway-model/check-against-model.js';
import type { ModelFinding } from '../gateway-model/model-finding.js';
import { type RoleRules, rolesInUse } from '../gateway-model/roles-in-use.js';
import { quotedName } from '../shortened-text.js';
import type { Policy } from '../syntax-tree.js';
import type { LoadedPolicies } from './load-policies.js';
import { PolicyText } from './policy-text.js';

/** What policies are judged by. */
export interface ModelRules extends RoleRules {
  /** What is doubtful is an error, but for a template that nothing links. */
  readonly strict: boolean;
}

/** What there is to say about each policy by itself. */
const findings = (policies: readonly Policy[], rules: RoleRules): readonly ModelFinding[] => [
  ...checkAgainstModel(policies),
  ...rolesInUse(policies, rules),
];

const spotOf = ({ span, message }: ModelFinding): string => `${span.start} ${span.end} ${message}`;

/** What a linked policy adds to the findings of its template is what the link puts in. */
const linkProblems = (
  policies: LoadedPolicies,
  ofTemplates: readonly ModelFinding[],
  severity: ConfigurationProblem['severity'],
  rules: RoleRules,
): readonly ConfigurationProblem[] => {
  const told = new Map<string, Set<string>>();
  for (const finding of ofTemplates) {
    const spots = told.get(finding.policyId) ?? new Set();
    told.set(finding.policyId, spots.add(spotOf(finding)));
  }
  const problems: ConfigurationProblem[] = [];
  const linked = policies.policies.filter(({ id }) => policies.linkOf(id) !== undefined);
  for (const finding of findings(linked, rules)) {
    const link = policies.linkOf(finding.policyId);
    if (link === undefined || told.get(link.template)?.has(spotOf(finding)) === true) continue;
    const { message, suggestion } = finding;
    const { id, position, line } = link;
    problems.push({ severity, message: `template-link ${quotedName(id)}: ${message}`, position, line, suggestion });
  }
  return problems;
};

/**
 * What is doubtful about policies that are sound: names that the gateway never has, roles that nobody can have and
 * texts without any policy (errors where the policies are to be judged strictly), and templates that nothing links (a
 * warning in every case: the links may stand elsewhere).
 */
export const modelProblems = (policies: LoadedPolicies, rules: ModelRules): readonly ConfigurationProblem[] => {
  const severity = rules.strict ? 'error' : 'warning';
  const ofTemplates = findings(policies.templates, rules);
  const written = policies.policies.filter(({ id }) => policies.linkOf(id) === undefined);
  const problems = [...findings(written, rules), ...ofTemplates].map(({ policyId, span, message, suggestion }) =>
    policies.problemAt(policyId, span, { severity, message, suggestion }),
  );
  for (const source of policies.emptySources) {
    const remark = { severity, message: 'there is no policy in it', suggestion: null } as const;
    problems.push(new PolicyText(source).problemAt({ start: 0, end: 0 }, remark));
  }
  for (const { id, span } of policies.unlinkedTemplates) {
    const message = `the template ${quotedName(id)} never applies: no template-link makes a policy of it`;
    problems.push(policies.problemAt(id, span, { severity: 'warning', message, suggestion: null }));
  }
  return boundedProblems(inFileOrder([...problems, ...linkProblems(policies, ofTemplates, severity, rules)]));
};
