import { parsePolicies } from '../../policy/parse/parse-policies.js';
import type { PolicySource } from '../../policy/policy-source/policy-source.js';
import { PolicyText } from '../../policy/policy-source/policy-text.js';
import type { AgentOptionProblem, AuthzOptions } from '../agent-configuration.js';

/** Policies in place, named so that messages and ids of policies tell them apart. */
export const inlinePolicies = (texts: readonly string[]): readonly PolicySource[] =>
  texts.map((text, index) => ({ name: texts.length === 1 ? 'policy-inline' : `policy-inline-${index + 1}`, text }));

/** What is wrong in the policies of an enabled `authz` block that stand in place, each by itself: they need no file to be read. */
export const inlinePolicyProblems = (authz: AuthzOptions | undefined): readonly AgentOptionProblem[] => {
  if (authz?.enabled !== true) return [];
  return inlinePolicies(authz.inlinePolicies).flatMap((source) => {
    const parsed = parsePolicies(source.text, 'extended');
    if (parsed.ok) return [];
    const text = new PolicyText(source);
    return parsed.error.map(
      ({ message, span, suggestion }): AgentOptionProblem => ({
        severity: 'error',
        option: 'authz',
        message: `${text.placeOf(span)}: ${message}`,
        suggestion,
        place: { key: 'policy-inline' },
      }),
    );
  });
};
