import type { ConfigurationProblem } from '../../configuration/configuration-problem.js';
import { boundedProblems, inFileOrder } from '../../configuration/schema/problem-report.js';
import { checkAgainstModel } from '../gateway-model/check-against-model.js';
import type { ModelFinding } from '../gateway-model/model-finding.js';
import type { LoadedPolicies } from './load-policies.js';

const spotOf = ({ span, message }: ModelFinding): string => `${span.start} ${span.end} ${message}`;

/** What a linked policy adds to the findings of its template is what the link puts in. */
const linkProblems = (
  policies: LoadedPolicies,
  ofTemplates: readonly ModelFinding[],
  severity: ConfigurationProblem['severity'],
): readonly ConfigurationProblem[] => {
  const told = new Map<string, Set<string>>();
  for (const finding of ofTemplates) {
    const spots = told.get(finding.policyId) ?? new Set();
    told.set(finding.policyId, spots.add(spotOf(finding)));
  }
  const problems: ConfigurationProblem[] = [];
  for (const finding of checkAgainstModel(policies.policies.filter(({ id }) => policies.linkOf(id) !== undefined))) {
    const link = policies.linkOf(finding.policyId);
    if (link === undefined || told.get(link.template)?.has(spotOf(finding)) === true) continue;
    const { message, suggestion } = finding;
    const { id, position, line } = link;
    problems.push({ severity, message: `template-link "${id}": ${message}`, position, line, suggestion });
  }
  return problems;
};

/**
 * What is doubtful about policies that are sound: names that the gateway never has (errors where the policies are to be judged
 * strictly), and templates that nothing links (a warning in every case).
 */
export const modelProblems = (policies: LoadedPolicies, strict: boolean): readonly ConfigurationProblem[] => {
  const severity = strict ? 'error' : 'warning';
  const ofTemplates = checkAgainstModel(policies.templates);
  const written = policies.policies.filter(({ id }) => policies.linkOf(id) === undefined);
  const problems = [...checkAgainstModel(written), ...ofTemplates].map(({ policyId, span, message, suggestion }) =>
    policies.problemAt(policyId, span, { severity, message, suggestion }),
  );
  for (const { id, span } of policies.unlinkedTemplates) {
    const message = `the template "${id}" never applies: no template-link makes a policy of it`;
    problems.push(policies.problemAt(id, span, { severity: 'warning', message, suggestion: null }));
  }
  return boundedProblems(inFileOrder([...problems, ...linkProblems(policies, ofTemplates, severity)]));
};
