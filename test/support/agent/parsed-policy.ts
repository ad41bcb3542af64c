import { parseExpressionText } from '../../../src/domain/agent/policy/parse/parse-entity-uid.js';
import { parsePolicies } from '../../../src/domain/agent/policy/parse/parse-policies.js';
import type { PolicyParseProblem } from '../../../src/domain/agent/policy/parse/policy-parse-problem.js';
import type { Expression, Policy, PolicyDialect } from '../../../src/domain/agent/policy/syntax-tree.js';

/** The one policy of a text that has to be good. */
export const onePolicy = (text: string, dialect: PolicyDialect = 'cedar'): Policy => {
  const parsed = parsePolicies(text, dialect);
  const [policy] = parsed.ok ? parsed.value : [];
  if (policy === undefined) throw new Error(`no policy: ${JSON.stringify(parsed)}`);
  return policy;
};

/** An expression that has to be good. */
export const oneExpression = (text: string, dialect: PolicyDialect = 'cedar'): Expression => {
  const parsed = parseExpressionText(text, dialect);
  if (!parsed.ok) throw new Error(`no expression: ${JSON.stringify(parsed.error)}`);
  return parsed.value;
};

const lineOf = ({ message, span, suggestion }: PolicyParseProblem): string =>
  `${span.start}-${span.end} ${message}${suggestion === null ? '' : ` (${suggestion})`}`;

/** The problems of a text, each as `start-end message (suggestion)`; empty where it is good. */
export const policyProblems = (text: string, dialect: PolicyDialect = 'cedar'): readonly string[] => {
  const parsed = parsePolicies(text, dialect);
  return parsed.ok ? [] : parsed.error.map(lineOf);
};

/** The problems of an expression, as `policyProblems` gives them. */
export const expressionProblems = (text: string, dialect: PolicyDialect = 'cedar'): readonly string[] => {
  const parsed = parseExpressionText(text, dialect);
  return parsed.ok ? [] : parsed.error.map(lineOf);
};
