import { describe, expect, it } from 'vitest';
import { extensionSignatures } from '../../../../../src/domain/agent/policy/extensions/extension-signatures.js';
import { parsePolicies } from '../../../../../src/domain/agent/policy/parse/parse-policies.js';
import { cedarVerdicts, ownVerdicts, type Verdict } from '../../../../support/agent/policy-engines.js';
import {
  type DecisionRow,
  decisionRows,
  type ExpressionOutcome,
  expressionRows,
  refusedPolicies,
  tableEntities,
  tableRequest,
} from '../../../../support/agent/policy-language-table.js';
import type { PolicyWorld } from '../../../../support/agent/policy-worlds.js';

const worldOf = (policies: DecisionRow['policies']): PolicyWorld => ({
  policies: policies.map((policy) => (typeof policy === 'string' ? { text: policy, link: null } : policy)),
  entities: tableEntities,
  requests: [tableRequest],
});

const conditionOf = (expression: string): string => `permit(principal, action, resource) when { ${expression} };`;

const verdictOf: Readonly<Record<ExpressionOutcome, Verdict>> = {
  true: { decision: 'allow', reason: ['p0'], errors: [] },
  false: { decision: 'deny', reason: [], errors: [] },
  error: { decision: 'deny', reason: [], errors: ['p0'] },
};

/** The kinds of all nodes of a tree of policies. */
const kindsIn = (tree: unknown, kinds: Set<string> = new Set()): ReadonlySet<string> => {
  if (typeof tree !== 'object' || tree === null) return kinds;
  if ('kind' in tree && typeof tree.kind === 'string') kinds.add(tree.kind);
  for (const part of Object.values(tree)) kindsIn(part, kinds);
  return kinds;
};

const expressionKinds = [
  ...['literal', 'entity', 'variable', 'if', 'and', 'or', 'not', 'negate', 'comparison', 'arithmetic', 'in', 'has'],
  ...['like', 'is', 'attribute', 'call', 'method', 'set', 'record'],
];
const methodsOfCedar = ['contains', 'containsAll', 'containsAny', 'isEmpty', 'hasTag', 'getTag'];

describe('the policy language', () => {
  it.each(expressionRows)('evaluates %s to %s, as the Cedar engine does', (expression, outcome) => {
    const world = worldOf([conditionOf(expression)]);
    expect(ownVerdicts(world)).toEqual([verdictOf[outcome]]);
    expect(cedarVerdicts(world)).toEqual([verdictOf[outcome]]);
  });

  it.each(decisionRows.map((row) => [row.title, row] as const))('%s', (_title, { policies, ...row }) => {
    const { decision, reason, errors = [] } = row;
    const world = worldOf(policies);
    expect(ownVerdicts(world)).toEqual([{ decision, reason, errors }]);
    expect(cedarVerdicts(world)).toEqual([{ decision, reason, errors }]);
  });

  it.each(refusedPolicies)('refuses %s', (_why, text) => {
    expect(parsePolicies(text, 'cedar').ok).toBe(false);
    expect(cedarVerdicts(worldOf([text]))).toBeNull();
  });

  it('has a row for every kind of expression, every method and every function', () => {
    const text = expressionRows.map(([expression]) => conditionOf(expression)).join('\n');
    const parsed = parsePolicies(text, 'cedar');
    const kinds = kindsIn(parsed);
    expect(expressionKinds.filter((kind) => !kinds.has(kind))).toEqual([]);
    const names = [...methodsOfCedar, ...extensionSignatures.keys()];
    expect(names.filter((name) => !text.includes(`${name}(`))).toEqual([]);
  });
});
