import { describe, expect, it } from 'vitest';
import { parseExpressionText } from '../../../../../../src/domain/agent/policy/parse/parse-entity-uid.js';
import { policyLimits } from '../../../../../../src/domain/agent/policy/policy-limits.js';
import type { Expression } from '../../../../../../src/domain/agent/policy/syntax-tree.js';
import { expressionProblems, oneExpression, policyProblems } from '../../../../../support/agent/parsed-policy.js';

const many = 100_000;

const isExpression = (value: unknown): value is Expression =>
  typeof value === 'object' && value !== null && 'kind' in value && 'span' in value;

/** How deep a tree is, without recursion. */
const heightOf = (root: Expression): number => {
  let height = 0;
  const waiting: { readonly part: unknown; readonly depth: number }[] = [{ part: root, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const depth = next.depth + (isExpression(next.part) ? 1 : 0);
    height = Math.max(height, depth);
    if (typeof next.part !== 'object' || next.part === null) continue;
    for (const part of Object.values(next.part)) waiting.push({ part, depth });
  }
  return height;
};

describe('deep expressions', () => {
  it.each([
    ['parentheses', '('.repeat(many)],
    ['sets', '['.repeat(many)],
    ['records', '{a:'.repeat(many)],
    ['attributes', `principal${'.a'.repeat(many)}`],
    ['indices', `principal${'["a"]'.repeat(many)}`],
    ['method calls', `[]${'.contains(1)'.repeat(many)}`],
    ['methods in methods', '[].contains('.repeat(many)],
    ['functions in functions', 'ip('.repeat(many)],
    ['conditions', 'if '.repeat(many)],
    ['branches', 'if true then 1 else '.repeat(many)],
    ['negations', '!('.repeat(many)],
    ['is in', 'principal is A in ('.repeat(many)],
  ])('are refused with a position: %s', (_, text) => {
    const [problem = ''] = expressionProblems(text);
    expect(problem).toContain(`nested more than ${policyLimits.depth} deep`);
  });

  it.each(['!', '-'])('are refused as a long row of %s', (operator) => {
    expect(expressionProblems(operator.repeat(many))).toEqual([`0-5 more than 4 \`${operator}\` in a row`]);
  });

  it('are refused as parentheses in scopes', () => {
    for (const scope of [`principal == ${'('.repeat(many)}`, `principal, action in ${'('.repeat(many)}`]) {
      expect(policyProblems(`permit(${scope}`)[0]).toContain('nested more than');
    }
  });

  it('parse up to the limit', () => {
    const limit = policyLimits.depth;
    expect(oneExpression(`${'('.repeat(limit - 1)}1${')'.repeat(limit - 1)}`)).toMatchObject({ kind: 'literal' });
    expect(heightOf(oneExpression(`principal${'.a'.repeat(limit - 1)}`))).toBe(limit);
    expect(expressionProblems(`principal${'.a'.repeat(limit)}`)).toHaveLength(1);
    expect(heightOf(oneExpression(`${'['.repeat(limit - 1)}1${']'.repeat(limit - 1)}`))).toBe(limit);
    expect(expressionProblems(`${'['.repeat(limit)}1${']'.repeat(limit)}`)).toHaveLength(1);
  });

  it('cannot combine moderate depths into a deeper tree', () => {
    const limit = policyLimits.depth;
    for (let access = 1; access < limit; access += 7) {
      const levels = limit - 2;
      const text = `${'('.repeat(levels)}principal${`${'.a'.repeat(access)})`.repeat(levels)}`;
      const parsed = parseExpressionText(text, 'cedar');
      if (parsed.ok) expect(heightOf(parsed.value)).toBeLessThanOrEqual(limit);
      else expect(parsed.error[0]?.message).toContain('nested more than');
      expect(parsed.ok).toBe(access * levels < limit);
    }
  });

  it('can be arbitrarily wide', () => {
    const wide = (separator: string, operand: string): Expression =>
      oneExpression(Array.from({ length: many }, () => operand).join(separator));
    expect(heightOf(wide('&&', 'true'))).toBe(2);
    expect(heightOf(wide('||', 'true'))).toBe(2);
    expect(heightOf(wide('+', '1'))).toBe(2);
    expect(heightOf(wide('*', '1'))).toBe(2);
    expect(oneExpression(`[${'1,'.repeat(many)}]`)).toMatchObject({ kind: 'set' });
  });
});
