import { parsePolicies } from '../../../src/domain/agent/policy/parse/parse-policies.js';
import type { Policy, PolicyDialect } from '../../../src/domain/agent/policy/syntax-tree.js';

/** The policies of a text that is known to be right. */
export const parsedPolicies = (text: string, dialect: PolicyDialect = 'cedar'): readonly Policy[] => {
  const parsed = parsePolicies(text, dialect);
  if (!parsed.ok) throw new Error(parsed.error.map(({ message }) => message).join('; '));
  return parsed.value;
};
